/* Both algorithms as plain C loops, one pull at a time; peers.py compiles and measures them. */
#include <math.h>
#include <stdint.h>

/* xoshiro256++ and splitmix64 of Blackman and Vigna, in the public domain. */
static uint64_t state[4];

static uint64_t rotated(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

static void start(uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        state[i] = z ^ (z >> 31);
    }
}

static double uniform(void) {
    uint64_t word = rotated(state[0] + state[3], 23) + state[0], shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotated(state[3], 45);
    return (word >> 11) * 0x1p-53;
}

typedef struct {
    int64_t arms;
    const double *means; /* of the responses */
    double threshold, tolerance;
    const uint8_t *must_accept, *must_reject;
} Problem;

static uint8_t is_loss(const Problem *p, const int64_t *n, const int64_t *s) {
    for (int64_t k = 0; k < p->arms; k++) {
        int above = s[k] > n[k] * p->threshold;
        if (above ? p->must_reject[k] : p->must_accept[k]) return 1;
    }
    return 0;
}

/* Fill losses[r]: whether run r of Algorithm 1 errs after `budget` pulls. */
void fixed_budget(Problem p, int64_t budget, uint64_t seed, int64_t runs, uint8_t *losses) {
    int64_t n[p.arms], s[p.arms];
    double index[p.arms];
    start(seed);
    for (int64_t r = 0; r < runs; r++) {
        for (int64_t t = 0; t < budget; t++) {
            int64_t arm = 0;
            if (t < p.arms) {
                arm = t;
                n[arm] = s[arm] = 0;
            } else {
                for (int64_t k = 1; k < p.arms; k++)
                    if (index[k] < index[arm]) arm = k;
            }
            n[arm]++;
            s[arm] += uniform() < p.means[arm];
            double distance = fabs((double)s[arm] / n[arm] - p.threshold);
            index[arm] = sqrt(n[arm]) * (distance + p.tolerance);
        }
        losses[r] = is_loss(&p, n, s);
    }
}

/* Fill losses[r] and pulls[r] of Algorithm 2 with the printed radius; term is log(4 K / delta). */
void fixed_confidence(Problem p, double term, uint64_t seed, int64_t runs, uint8_t *losses,
                      int64_t *pulls) {
    int64_t n[p.arms], s[p.arms];
    start(seed);
    for (int64_t r = 0; r < runs; r++) {
        for (int64_t k = 0; k < p.arms; k++) {
            n[k] = 1;
            s[k] = uniform() < p.means[k];
        }
        for (int64_t t = p.arms;; t++) {
            int64_t arm = -1;
            double root = 0.125 * (term + 3 * log(t));
            for (int64_t k = 0; k < p.arms; k++) {
                if (arm >= 0 && n[k] >= n[arm]) continue;
                double d = s[k] - n[k] * p.threshold, width = sqrt(root * n[k]);
                if (-width <= d && d < width) arm = k;
            }
            if (arm < 0) {
                pulls[r] = t;
                break;
            }
            n[arm]++;
            s[arm] += uniform() < p.means[arm];
        }
        losses[r] = is_loss(&p, n, s);
    }
}
