"""What is stored with the program of Liu et al. 2022, toy/train_add.py, and how many of its numbers come out again."""

from __future__ import annotations

# What the program stores where no line was seen; its steps count from 0 and are those before an update.
NEVER = 9_999

# By training pairs, for seeds 0 to 2: pairs of 55 that are right, those predicted right, step of an RQI above 0.95.
RESULTS = {
    5: ((7, 6, 8), (5, 5, 6), (NEVER, NEVER, NEVER)),
    10: ((12, 15, 14), (11, 14, 12), (NEVER, NEVER, NEVER)),
    15: ((15, 17, 24), (15, 15, 21), (NEVER, NEVER, NEVER)),
    20: ((25, 20, 32), (25, 20, 25), (NEVER, NEVER, NEVER)),
    25: ((27, 29, 50), (26, 30, 50), (NEVER, NEVER, 2553)),
    30: ((39, 31, 51), (39, 31, 51), (NEVER, NEVER, 739)),
    35: ((42, 41, 54), (42, 41, 54), (NEVER, NEVER, 1171)),
    40: ((50, 43, 55), (50, 42, 55), (867, NEVER, 943)),
    45: ((50, 55, 55), (50, 55, 55), (833, 1071, 887)),
    50: ((53, 53, 54), (54, 55, 55), (1011, 1272, 977)),
    54: ((51, 53, 54), (55, 55, 55), (1033, 1086, 850)),
}

