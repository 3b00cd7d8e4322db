"""What a reader of a printable report must know about the method, its source and its limits."""

from __future__ import annotations

from spatialldp.experiments.map_error import COUNTS, PLACES

PAPER = (
    "The mechanisms DAM, DAM-NS and HUEM and the comparison follow Du et al., “Numerical Estimation of Spatial "
    "Distributions under Differential Privacy”. These points of it are corrected here:"
)

CORRECTIONS = (
    "The printed kernel of DAM has no clipping and turns negative (−0.0025 at offset (3, 2) with radius 3, the default "
    "of the paper). Its privacy loss would be 3.585 where ε = 3.5 is promised. Here it is clipped at 0: the loss is ε.",
    "The printed number of cells on the border of the disk is wrong from radius 2 on (17 instead of 13 at radius 7). "
    "Here they are counted one by one.",
    "One formula of HUEM lacks ε in the exponent. Here it is included, as the definition requires.",
    "The paper measures error by a blurred distance (Sinkhorn), which even between equal maps is about 0.145 cells on "
    "a 5 × 5 grid. Here W2 is exact.",
    "The paper's local privacy assumes an attacker who guesses at random from what is plausible. The best guess does "
    "better, so both attackers are shown.",
    "The paper stops its recovery when the fit hardly changes. Here some reports are held out, and how well they fit "
    "says when to stop. That gives better maps and costs no privacy.",
    "Geo-I mechanisms protect per cell of distance, so the same ε means less. Unless stated otherwise they run at the "
    "ε′ at which local privacy equals that of DAM. Where local privacy jumps past that value, no ε′ is equal; they "
    "then run just before the jump, which protects more, and the text says so. Equal local privacy is one ruler: "
    "naming a few far-away cells beside the true one keeps it up but hides little. So how often the right cell is "
    "named is shown too.",
)

LIMITS = (
    "This is a simulation with known data: another city, hour or crowd gives other errors.",
    "Everybody is assumed to report as planned and to be exactly where the data say. People who lie, drop out or "
    "move are left out of account.",
    "The attacker is assumed to know where people usually are, but nothing about this person. An attacker who knows "
    "more can guess better; in any case, ε bounds how much a report can add.",
    "The intervals are for the mean over the simulated collections; a single collection varies more.",
    "An error is an average over all people or places: most may be shown well and a few far off.",
    "The points of a curve share their random seeds, so neighbouring points vary together.",
)


#: What an error is, by what the map is for.
_ERRORS = {
    PLACES: (
        "The error of the map is how far people would have to be moved, on average (root mean square), from what the "
        "map shows to where they are: an exact optimal transport. For it people are counted on a fine grid of up to "
        "128 × 128 cells, and the map is spread evenly over its own cells, as it is drawn.",
        "Part of the error comes from cell size: the true map on the same cells has it too. The rest comes from the "
        "randomisation. Counting people on a fine grid rather than at their exact places overstates the error "
        "slightly; where it matters, the text says by how much.",
    ),
    COUNTS: (
        "The error of counts is how many people, per 1,000 in all, the map is wrong by in a square 0.3 times as wide "
        "as the map, on average over all positions of the square. For it, people are counted on a fine grid of up to "
        "128 × 128 cells, and the map is spread evenly over its own cells, as it is drawn.",
        "Part of the error comes from cell size: the true map on the same cells has it too. The rest comes from the "
        "randomisation.",
    ),
}
#: How an ε that is searched for is measured; errors of counts take no transport, so none is measured roughly.
_SEARCHED = "A smallest ε that is searched for is measured with several times as many, none of them used in the search"
_MOST_ROUGHLY = (
    "; most of these are measured on a grid half as fine, and corrected by the difference found on the others"
)


def method(repeats: int, purpose: str = PLACES) -> tuple[str, ...]:
    """What was done, in the order in which it was done, for a map of that purpose."""
    searched = _SEARCHED + ("" if purpose == COUNTS else _MOST_ROUGHLY)
    return (
        "The area is cut into square cells. Each simulated person's cell is randomised by the mechanism with the "
        "budget ε, as it would be on their own device; only these reports are passed on.",
        "The map is recovered from the counts of reports alone (by expectation–maximisation or, for some mechanisms, "
        "a formula).",
        *_ERRORS[purpose],
        "“W2 between grids” is the paper's measure, which Explore and Compare show: everybody is put at the centre of "
        "their cell. It does not see what a cell hides and counts any move to the next cell in full, so it may be "
        "smaller or larger than the error of the map.",
        f"Every plan is measured with {repeats} simulated collections, each with new random draws; intervals are "
        f"Student's t at 95%. {searched}.",
        "“Uniform guess” spreads everybody evenly. “No privacy” asks as many people, drawn at random, for their true "
        "cell: only chance and cell size are left.",
        "If fewer people take part than there are, they are a random sample; if more, everybody is counted several "
        "times and a sample makes up the rest. The recovered map is always compared with all people.",
        "Risk: the attacker's prior is the true map. For one report, the average is over all possible reports where "
        "they are few; several reports, and large grids, are simulated, with ± 1.96 standard errors.",
    )
