"""The paper's displayed formulas, decided in exact or interval arithmetic, theorem by theorem."""
