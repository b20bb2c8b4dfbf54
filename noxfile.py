"""Install sortal's wheel and its sdist on each Python of this machine, and ask a question: nox."""

from pathlib import Path

import nox

nox.options.error_on_missing_interpreters = False


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
@nox.parametrize("kind", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
def installed(session: nox.Session, kind: str) -> None:
    """The distribution installs, and the command answers."""
    folder = Path(session.create_tmp())
    session.install("build")
    session.run("python", "-m", "build", "--outdir", str(folder), str(Path.cwd()))
    session.install(str(next(folder.glob(kind))))
    session.chdir(folder)
    session.run("sortal", "run", "wine", "--force", "--report", "wine.html", *session.posargs)
