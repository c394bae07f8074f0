"""Prints every sentence that people see, by the place where it is said: ``make words``."""

import sys
from itertools import groupby

from tests.words.said import everything

for file, group in groupby(everything(), key=lambda one: one.where.partition(" · ")[0]):
    lines = [f"  {one.where.partition(' · ')[2]}\n      {one.text}\n" for one in group]
    sys.stdout.write(f"\n{file}\n{''.join(lines)}")
