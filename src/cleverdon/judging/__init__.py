"""The judging web app: people grade pooled documents, and the project exports qrels.

    create_project -> open_project -> manage_people, assign_queries -> serve_project
                                   -> project_status, project_workload
                                   -> import_judgments, export_judgments, backup_project

Names are loaded when they are first used, since SQLAlchemy takes a while to import. See
docs/judge.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.judging.assignment import assign_queries, project_workload
    from cleverdon.judging.backup import Manifest, backup_project, restore_project
    from cleverdon.judging.creation import CreatedProject, create_project, example_project
    from cleverdon.judging.dashboard.state import ProjectStatus, project_status
    from cleverdon.judging.exports.files import export_judgments
    from cleverdon.judging.imports.importer import import_judgments
    from cleverdon.judging.people.administration import AccountList, manage_people
    from cleverdon.judging.project import Project, open_project
    from cleverdon.judging.web.server import serve_project
    from cleverdon.judging.workload import Workload

__all__ = [
    "AccountList",
    "CreatedProject",
    "Manifest",
    "Project",
    "ProjectStatus",
    "Workload",
    "assign_queries",
    "backup_project",
    "create_project",
    "example_project",
    "export_judgments",
    "import_judgments",
    "manage_people",
    "open_project",
    "project_status",
    "project_workload",
    "restore_project",
    "serve_project",
]

__getattr__ = lazy_names(
    __name__,
    {
        "AccountList": "judging.people.administration",
        "CreatedProject": "judging.creation",
        "Manifest": "judging.backup",
        "Project": "judging.project",
        "ProjectStatus": "judging.dashboard.state",
        "Workload": "judging.workload",
        "assign_queries": "judging.assignment",
        "backup_project": "judging.backup",
        "create_project": "judging.creation",
        "example_project": "judging.creation",
        "export_judgments": "judging.exports.files",
        "import_judgments": "judging.imports.importer",
        "manage_people": "judging.people.administration",
        "open_project": "judging.project",
        "project_status": "judging.dashboard.state",
        "project_workload": "judging.assignment",
        "restore_project": "judging.backup",
        "serve_project": "judging.web.server",
    },
)
