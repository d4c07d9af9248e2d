"""Wrappers: change what an agent sees, does or is paid; adapters between views."""
