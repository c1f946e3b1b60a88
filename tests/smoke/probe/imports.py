"""Imports every module of a bundle in the interpreter of Lambda. The suite adds this file to a copy of the bundle."""

import importlib
import pkgutil
import platform

PACKAGES = ("functions", "shared")


def handler(event, context):
    imported, failed = 0, {}
    for package in PACKAGES:
        root = importlib.import_module(package)
        for module in pkgutil.walk_packages(root.__path__, f"{package}."):
            if module.name.endswith("__main__"):
                continue
            try:
                importlib.import_module(module.name)
                imported += 1
            except Exception as error:  # noqa: BLE001 - any failure is the finding
                failed[module.name] = f"{type(error).__name__}: {error}"[:200]
    return {
        "imported": imported,
        "failed": failed,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
