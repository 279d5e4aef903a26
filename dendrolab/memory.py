"""Memory that is free, asked before a large array is made."""

import re
from pathlib import Path

_CGROUP = "/sys/fs/cgroup"


def available_memory():
    """Bytes of memory that this process can still take."""
    import psutil

    available = psutil.virtual_memory().available
    try:  # a container may be held below what the machine has
        limit, used = (int(Path(_CGROUP, name).read_text()) for name in ("memory.max", "memory.current"))
        cached = re.search(r"^inactive_file (\d+)", Path(_CGROUP, "memory.stat").read_text(), re.MULTILINE)
    except (OSError, ValueError):
        return available
    return min(available, limit - used + int(cached[1] if cached else 0))


def check_memory(n_bytes, what, remedy="Take a sample of the rows, or a machine with more memory."):
    """Refuse work that would not fit into memory, before anything is allocated."""
    available = available_memory()
    if n_bytes > available:
        raise MemoryError(
            f"{what} needs about {format_bytes(n_bytes)}, and {format_bytes(available)} are available. "
            f"{remedy}"
        )


def format_bytes(n_bytes):
    """Text for a number of bytes, in the unit that suits its size."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
