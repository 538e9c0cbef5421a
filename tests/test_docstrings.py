"""The stable modules document every public function in numpydoc sections."""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

STABLE = (
    "privacy", "instances", "radii", "bounds", "learners", "simulate", "exact", "summarise",
    "rare", "inference", "study",
)  # fmt: skip


def public_functions(module: ModuleType) -> Iterator[tuple[str, Callable]]:
    """Functions, and methods of public classes, that are in ``__all__`` or defined in a module."""
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for method, found in vars(value).items():
                if inspect.isfunction(found) and not method.startswith("_"):
                    yield f"{name}.{method}", found


FUNCTIONS = [
    pytest.param(function, id=f"{module}.{name}")
    for module in STABLE
    for name, function in public_functions(importlib.import_module(f"ldpt.{module}"))
]


def sections(function: Callable) -> dict[str, str]:
    """The numpydoc sections of a docstring by title."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(function) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_docstring_names_every_parameter_and_what_is_returned_and_raised(
    function: Callable,
) -> None:
    found = sections(function)
    signature = inspect.signature(function)
    for name in signature.parameters.keys() - {"self"}:
        assert re.search(rf"\b{name}\b", found.get("Parameters", "")), f"{name} is not described"
    if signature.return_annotation is not None:
        assert found.keys() & {"Returns", "Yields"}, "nothing is said of what is returned"
    if re.search(r"^\s+raise ValueError", inspect.getsource(function), re.MULTILINE):
        assert "ValueError" in found.get("Raises", ""), "nothing is said of the ValueError"
