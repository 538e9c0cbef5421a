"""How runs are made: one run of an algorithm, and loops over runs.

Every function here works on the *private* means, threshold and tolerance: an arm's responses are
i.i.d. Bernoulli(mu_eps) whatever its rewards are (Lemma 2.1), so nothing else is needed.

There are two engines per algorithm. The *literal* ones (:mod:`.literal_budget`,
:mod:`.literal_confidence`) make one pull at a time and read like the paper's listings. The *fast*
ones (:mod:`.fast_budget`, :mod:`.fast_confidence`) jump over pulls between which the algorithm has
no choice. They are exact: the same law, and on the same tape of responses the same run.
``docs/engines.md`` explains them with pictures. Read the modules in this order: :mod:`.sources`
(what an engine may ask), :mod:`.blocks` (how far it may jump), :mod:`.tournament` and
:mod:`.pull_order` (which arm is next), then the engine, then :mod:`.budget_runs` or
:mod:`.confidence_runs` (many runs). Losses alone need less than a run: :mod:`.fast_losses`.
"""

CHUNK = 500  # replicates of one random stream; part of what the numbers mean, never changed
