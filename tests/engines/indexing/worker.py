"""A program whose costs are known: it takes memory, processor time and disk as it is told.

worker.py OUTPUT [memory=MB] [cpu=SECONDS] [child=SECONDS] [orphan=SECONDS] [temporary=MB]
          [nameless=MB] [size=MB] [say=1] [hold=SECONDS] [exit=CODE]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack


def burn(seconds: float) -> None:
    """Spend processor time, however busy the machine is."""
    while time.process_time() < seconds:
        sum(range(2000))


def main() -> int:
    output = sys.argv[1]
    wanted = {name: float(value) for name, value in (word.split("=") for word in sys.argv[2:])}
    again = [sys.executable, "-S", __file__]
    with ExitStack() as stack:
        held = bytearray(int(wanted.get("memory", 0) * 1e6))
        held[::4096] = b"\1" * len(held[::4096])
        for name, made in (
            ("temporary", tempfile.NamedTemporaryFile),
            ("nameless", tempfile.TemporaryFile),
        ):
            file = stack.enter_context(made())
            file.write(bytes(int(wanted.get(name, 0) * 1e6)))
            file.flush()
        if "child" in wanted:
            subprocess.run([*again, "", f"cpu={wanted['child']}"], check=True)
        if "orphan" in wanted:
            # The shell in between ends at once: nobody will wait for the one that works. It says
            # when it has worked, and stays.
            cpu = f"cpu={wanted['orphan']}"
            words = ["sh", "-c", '"$@" &', "sh", *again, "", cpu, "say=1", "hold=60"]
            shell = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE))
            assert shell.stdout is not None
            shell.stdout.readline()
        burn(wanted.get("cpu", 0.0))
        if "say" in wanted:
            print("done", flush=True)
        time.sleep(wanted.get("hold", 0.0))
    if output:
        with open(output, "wb") as index:
            index.write(bytes(int(wanted.get("size", 1) * 1e6)))
    if wanted.get("exit"):
        print("first line\n\nthe reason", file=sys.stderr)
    return int(wanted.get("exit", 0))


if __name__ == "__main__":
    sys.exit(main())
