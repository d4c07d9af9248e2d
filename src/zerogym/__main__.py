"""`python -m zerogym` is the command `zerogym`."""

from zerogym.cli import main

main()
