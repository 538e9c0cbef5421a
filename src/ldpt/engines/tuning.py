"""Constants that affect speed, not the distribution of results: they select among exact methods.

All were chosen by the rows of ``benchmarks/engines.py`` (``make benchmark``), in this order, each
with the others fixed. A change makes other draws from the same laws, so that all numbers move.
"""

# Blocks (rows of both algorithms)
MIN_BLOCK = 300  # pulls that a sum drawn at once must span to be cheaper than words
MIN_BRIDGE_DISTANCE = 12.0  # of the walk to an edge; nearer, words are cheaper than a bridge
MAX_ONE_BY_ONE = 24  # members of a set that are cheaper to draw one by one than by a binomial
TOUCH_RATIO_REREAD = (3.0, 3.0, 12.0)  # at the least distance, per log of the distance, from there
TOUCH_RATIO_READ_ONCE = (4.5, 2.5, 300.0)

# Algorithm 1: windows and excursions (rows "ten arms" and "equal-gap-100" of apt and lsa)
WINDOW_SHARE = 0.5  # of the pulls left that a window aims at
MIN_WINDOW = 4  # pulls per arm below which a window does not pay
MAX_GROWTH = 1.0  # most by which a window aims to multiply the pulls made so far
SHORTER_WINDOW = 0.125  # factor of the next window's length after one was undone
CHEAP_UNDO = 4096  # pulls left up to which undoing a window costs little
MIN_SQUARED_INDEX = 0.05  # below which a level is not worth a window
EXCURSION_PULLS = 24  # of an excursion that are compared one by one, as most excursions are short
SINGLE_PULLS = 64  # of an arm up to which its index is compared pull by pull
LOG_ROWS = 4096  # of the log of a window, and 64 per arm
MIN_SPELLED_PIECE = 24  # pulls of a piece below which responses are drawn one by one
MIN_BRIDGED_PIECE = 60  # pulls of a piece below which a bridge does not pay

# Losses of Algorithm 1 (rows with one and with many budgets)
LOOK_AHEAD_FROM = 1.8  # squared index from which most look-aheads see no estimate cross
LOOK_AHEAD_GROWTH = 1.4  # of the squared index before the next one, if one left a loss open
LOOK_AHEAD_REACH = 2.0  # multiple of the last budget at which a look-ahead aims
MIN_PULL_SHARE = 0.5  # of an average arm's pulls; arms expected to make fewer are not counted

# Algorithm 2 (rows of printed, onesided and coin)
ROUNDING = 5e-16  # relative error of n tau over 2 n pulls, at most; more makes more single pulls
RARE = 1e-3  # chance of a response below which the pulls up to the next one are drawn at once
MAX_WORDS = 32  # of a walk
CHORD_SHIFT = 6  # a walk may take n >> CHORD_SHIFT further words along one chord of the boundary
