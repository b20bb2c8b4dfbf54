"""The versions of sortal and of the packages it computes with."""

__version__ = "0.1.0.dev0"


def package_versions(*packages: str) -> list[tuple[str, str]]:
    """Names and versions of Python and of installed packages."""
    import platform
    from importlib.metadata import version

    return [("Python", platform.python_version()), *((name, version(name)) for name in packages)]
