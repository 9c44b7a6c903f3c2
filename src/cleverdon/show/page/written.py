"""A page that is ready to be shown or written, whatever it says."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from html import escape
from typing import TYPE_CHECKING, Any

from cleverdon.read.write import write_file

if TYPE_CHECKING:
    from os import PathLike


class Written(ABC):
    """The base of reports: what they say, and the page that says it."""

    content: dict[str, Any]
    """All that it says, ready for `json.dumps`."""

    @property
    @abstractmethod
    def html(self) -> str:
        """The page."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file that appears when it is complete."""
        write_file(str(path), self.html.encode("utf-8", errors="backslashreplace"))

    def save_json(self, path: str | PathLike[str]) -> None:
        """Write what it says to a file, for programs."""
        text = json.dumps(self.content, indent=1, ensure_ascii=False, allow_nan=False)
        write_file(str(path), f"{text}\n".encode("utf-8", errors="backslashreplace"))

    def _repr_html_(self) -> str:
        """In a notebook, the page within a frame: its styles and scripts stay in there."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:80vh;border:1px solid '
            '#ccc" sandbox="allow-scripts allow-downloads allow-modals"></iframe>'
        )
