"""`python -m zerogym.envs.tools.sandbox`: whether this machine holds the sandbox's level."""

import sys

from zerogym.envs.tools.sandbox.probe import probe

if __name__ == "__main__":
    found = probe()
    sys.stdout.write(found.explain() + "\n")
    sys.exit(not found.holds)
