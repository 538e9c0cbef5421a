"""What makes a product adds and takes logarithms in ways that do not depend on the machine."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FUNCTIONS = {
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "convolve", "correlate", "cos", "cosh",
    "dist", "dot", "einsum", "erf", "erfc", "exp", "exp2", "expm1", "float_power", "gamma",
    "geomspace", "hypot", "inner", "lgamma", "linalg", "log", "log10", "log1p", "log2",
    "logaddexp", "logaddexp2", "logspace", "matmul", "polyfit", "pow", "power", "sin", "sinh",
    "sumprod", "tan", "tanh", "vdot",
}  # fmt: skip
EXACT = {"displays.py", "certificate.py"}  # fractions and intervals
COUNTING = {
    "analyse.py", "analysis.py", "cost.py", "learners.py", "register.py", "requests.py",
    "session.py", "text.py",
}  # fmt: skip
# Rounded before they count; the records of a machine. `NAME.py:` means the imports of a module.
ROUNDED = {
    "bounds.py:_decoupled_bound", "bounds.py:_overlap", "graded_answers.py:",
    "summarise.py:clopper_pearson", "summarise.py:mean_interval",  # the latter: of one level
    "study/chains.py", "planning_plot.py", "sentences.py", "provenance",
}  # fmt: skip
# Simulations compare what these return and keep the result of the comparison; a person's answer is
# random in any case.
COMPARED = {
    "device.py", "engines", "lemmas.py:", "policies.py:index", "radii.py:boundaries_at",
    "results.py:",
}  # fmt: skip
OTHERS = EXACT | COMPARED | ROUNDED | {"reproducible.py"}
SOURCES = sorted([*(ROOT / "src/ldpt").rglob("*.py"), *(ROOT / "scripts").glob("*.py")])


def faults(text: str, name: str = "") -> Iterator[str]:
    """Yield each expression whose last digits depend on the machine."""
    for part in ast.parse(text).body:
        if f"{name}:{getattr(part, 'name', '')}" not in OTHERS:
            yield from (ast.unparse(node) for node in ast.walk(part) if is_fault(node, name))


def is_fault(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="math" | "np"), attr=attribute):
            return attribute in FUNCTIONS
        case ast.ImportFrom(module=module):
            special = module in ("scipy", "scipy.special")
            return module in ("math", "numpy") or (special and name not in COUNTING)
        case ast.Call(func=ast.Name(id="sum"), args=[terms, *_]):
            return name not in COUNTING and not is_count(terms)
        case ast.Call(func=ast.Name(id="pow")) | ast.Call(func=ast.Attribute(attr="dot")):
            return True
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult() | ast.Pow()):
            return True
        case ast.BinOp(left=base, op=ast.Pow()):
            return not (isinstance(base, ast.Constant) and base.value in (0.5, 2, 10))
    return False


def is_count(terms: ast.AST) -> bool:
    """Whether the terms of a sum are seen to be whole."""
    match terms:
        case ast.GeneratorExp(elt=element):
            return is_count(element)
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Name(id="arms"):
            return True
        case ast.Call(func=ast.Name(id="map"), args=[ast.Attribute(attr="isfinite"), *_]):
            return True
        case ast.Call(func=ast.Name(id="len") | ast.Attribute(attr="count")):
            return True
    return False


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_products_are_computed_by_reproducible_functions(path):
    names = {path.name, path.parent.name, f"{path.parent.name}/{path.name}"}
    if not OTHERS & names:
        assert list(faults(path.read_text(), path.name)) == []


@pytest.mark.parametrize(
    "text",
    [
        "y = math.log(x)", "y = np.exp(x)", "table.map(np.log10)", "from math import log",
        "y = sum(x)", "y = sum(weight * x for x in xs)", "y = a @ b", "y = x**2", "y = x**-0.5",
        "def draw():\n    return np.linalg.norm(x)", "from scipy.special import betaln", "y **= 3",
        "y = pow(x, 0.3)", "y = x.dot(x)",
    ],
)  # fmt: skip
def test_what_depends_on_the_machine_is_found(text):
    assert list(faults(text))


@pytest.mark.parametrize(
    "text",
    ["y = log(x)", "y = sum(x > 1 for x in xs)", "y = 2.0**-40", "y = x.sum() * math.sqrt(2)"],
)
def test_what_does_not_is_allowed(text):
    assert list(faults(text)) == []
