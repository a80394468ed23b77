"""Damage that any file may take."""

import random
from typing import Final

# Sizes, places and counts at which programs go wrong.
HUGE: Final = (
    *(0, 1, -1, 2, 7, 2**15, 2**20, 2**28, 2**31 - 1, 2**31, 2**32),
    *(2**40, 2**62, 2**63, 2**64, 10**30),
)


def flipped(rng: random.Random, data: bytes) -> bytes:
    """With bits flipped, and then perhaps cut, doubled or overwritten."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    start = rng.randrange(len(changed))
    match rng.randrange(6):
        case 0:
            del changed[start:]
        case 1:
            changed += changed[:start]
        case 2:
            changed[start : start + 16] = rng.randbytes(16)
        case 3:
            del changed[start : start + rng.randrange(1, 9)]
    return bytes(changed)
