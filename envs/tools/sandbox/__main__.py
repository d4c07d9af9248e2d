"""`python -m zerogym.envs.tools.sandbox`: which levels of the sandbox this machine holds."""

import sys

from zerogym.envs.tools.sandbox.levels import ISOLATING
from zerogym.envs.tools.sandbox.probe import probe

if __name__ == "__main__":
    sys.stdout.writelines(probe(level).explain() + "\n\n" for level in ISOLATING)
    sys.stdout.write("level unsafe-local isolates nothing: it runs only when it is chosen\n")
    sys.exit(not probe("strong").holds)
