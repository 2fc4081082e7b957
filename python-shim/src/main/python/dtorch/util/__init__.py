"""Tools for scripts."""
