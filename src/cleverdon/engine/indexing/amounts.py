"""What was seen of a build, as amounts with their errors of measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cleverdon.engine.cpu import TICK, Cpu
from cleverdon.engine.indexing.disk import DiskUse
from cleverdon.engine.indexing.documents import Prepared
from cleverdon.engine.indexing.jobs import Job
from cleverdon.engine.indexing.process_tree import ProcessTree
from cleverdon.engine.indexing.records import Amount, Build
from cleverdon.engine.indexing.sampling import Sampler


@dataclass(frozen=True)
class Outcome:
    """All that watched a build, once it is over."""

    job: Job
    documents: Prepared
    tree: ProcessTree
    disk: DiskUse
    looks: Sampler
    servers: tuple[int, ...]
    folders: tuple[str, ...]

    def reported(self, told: Mapping[str, Any]) -> Build:
        """Of a process that said itself what indexing took, apart from starting and reading."""
        done, begun = told["done"], dict(told["begun"])
        resident = begun.pop("memory")
        reading, wall = done["reading"], done["wall"]
        cpu = self.tree.spent(Cpu(**done["cpu"]), before=Cpu(**begun))
        cpu -= Cpu(user=done["reading_cpu"])
        # Other threads and processes do not wait for us to read. So much of the reading may have
        # been beside their work, and is not taken away.
        overlap = reading
        if not self.job.hidden and not self.tree.unwaited():
            overlap = min(reading, done["elsewhere"])
        time = Amount(wall - reading + overlap, less=done["timing"] + overlap)
        amounts = self._amounts(time, cpu)
        amounts["reading"] = Amount(reading)
        if resident is not None and "index_memory" in amounts:
            amounts["memory_before"] = Amount(resident + self.tree.server_memory)
        return self._build(
            amounts,
            samples=self.looks.samples - told["looks_before"],
            size=done["size"],
            taken=done["taken"],
            overlap=overlap,
        )

    def waited_for(self, wall: float, waited: Cpu) -> Build:
        """Of a command, from its start to its end."""
        amounts = self._amounts(Amount(wall), self.tree.spent(waited))
        return self._build(amounts, samples=self.looks.samples)

    def _amounts(self, time: Amount, cpu: Cpu) -> dict[str, Amount]:
        amounts = {"index_time": time}
        if time.value > 0:
            for name, amount in (
                ("documents_rate", self.documents.documents),
                ("text_rate", self.documents.bytes),
            ):
                rate = amount / time.value
                fastest = amount / (time.value - time.less) if time.less < time.value else rate
                slowest = amount / (time.value + time.more)
                amounts[name] = Amount(rate, less=rate - slowest, more=fastest - rate)
        if self.job.hidden and not self.servers:
            return amounts  # who did the work was not seen
        # Of processes that nobody waited for, what they spent after the last look is not known.
        unseen = self.tree.unwaited() * self.looks.longest + TICK * len(self.servers)
        amounts["index_cpu"] = Amount(cpu.total, more=unseen)
        amounts["cpu_user"] = Amount(cpu.user, more=unseen)
        amounts["cpu_system"] = Amount(cpu.system, more=unseen)
        memory = self.tree.memory
        amounts["index_memory"] = Amount(memory, more=self.tree.memory_bound - memory)
        return amounts

    def _build(
        self,
        amounts: dict[str, Amount],
        *,
        samples: int,
        size: int | None = None,
        taken: int | None = None,
        overlap: float = 0.0,
    ) -> Build:
        index = self.disk.index() or size
        if index is None and self.folders:
            index = self.disk.kept()
        if index is not None:
            amounts["index_size"] = Amount(index)
            if self.documents.bytes:
                amounts["index_ratio"] = Amount(index / self.documents.bytes)
        missed = self.disk.largest_rise
        if self.disk.sees_index:
            # What else stays, as a server's log of what it wrote, is beside the index as well.
            peak = max(self.disk.peak, index or 0)
            amounts["disk_peak"] = Amount(peak, more=missed)
            amounts["index_overhead"] = Amount(peak - (index or 0), more=missed)
        elif not self.job.hidden:
            amounts["index_overhead"] = Amount(self.disk.peak, more=missed)
        return Build(
            documents=self.documents.documents,
            bytes=self.documents.bytes,
            amounts=amounts,
            samples=samples,
            longest_gap=self.looks.longest,
            taken=taken,
            left=self.tree.running(),
            overlap=overlap,
        )
