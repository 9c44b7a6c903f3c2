"""`python -m cleverdon` is the command `cleverdon`."""

from cleverdon.cli import run_process

if __name__ == "__main__":
    run_process()
