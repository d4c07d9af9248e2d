"""Settings of a verb from a frozen dataclass: options of the command line, and TOML files.

Read `values.py` (texts to values), `fields.py` (a dataclass as a flat table of settings),
`construction.py` (and back), `command.py` (a verb with an option a setting), `files.py`.
"""

from zerogym.cli.settings.command import settings_command, typed
from zerogym.cli.settings.construction import build
from zerogym.cli.settings.files import from_file, read_config, read_table

__all__ = ["build", "from_file", "read_config", "read_table", "settings_command", "typed"]
