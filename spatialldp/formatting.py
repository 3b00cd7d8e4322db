"""Numbers as text: one way to write a length, a share and a factor, and user text that Markdown leaves alone.

Plain text throughout; units are part of it. Sentences made of these are in `planning.sentences` and
`experiments.comparison_sentences`.
"""

from __future__ import annotations

import math

#: Standard errors on either side of a simulated figure that make a 95% interval.
STANDARD_ERRORS_95 = 1.96
#: Every sign with which Markdown, or what Streamlit adds to it (`:icon:`, `$formula$`), begins or ends formatting.
_MARKDOWN_SIGNS = "\\*_`[]$<>#:~&"
#: Above this a factor is written as a power of ten.
_LARGEST_WRITTEN_OUT = 1e9


def length(value: float, unit: str, standard_error: float = 0.0) -> str:
    """A length with its unit: whole metres from 10 m on, tenths below; three digits in any other unit.

    `standard_error`, in the same unit, adds ± 1.96 of it where it is not 0.

    >>> length(1234.4, "m"), length(4.25, "m"), length(0.94512, "map units"), length(1234.4, "map units")
    ('1,234 m', '4.2 m', '0.945 map units', '1,234 map units')
    >>> length(500, "m", standard_error=10)
    '500 m ± 20 m'
    """
    text = f"{_length_number(value, unit)} {unit}"
    return text if standard_error == 0 else f"{text} ± {length(STANDARD_ERRORS_95 * standard_error, unit)}"


def length_range(low: float, high: float, unit: str) -> str:
    """Two lengths with one unit between them.

    >>> length_range(310.2, 1234.4, "m")
    '310–1,234 m'
    """
    return f"{_length_number(low, unit)}–{length(high, unit)}"


def _length_number(value: float, unit: str) -> str:
    if unit == "m":
        return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    return f"{value:,.0f}" if 999.5 <= value < _LARGEST_WRITTEN_OUT else f"{value:.3g}"


def exact_number(value: float) -> str:
    """A number with all its digits, for a command or a link that is to mean the same.

    >>> exact_number(3.5), exact_number(2.0), exact_number(0.1234567)
    ('3.5', '2', '0.1234567')
    """
    return repr(float(value)).removesuffix(".0")


def added_up(total: float, part: float, unit: str) -> tuple[str, str, str]:
    """A total, one part of it and the rest of it, as texts with one unit whose numbers add up as printed.

    >>> added_up(223.7, 152.6, "m"), added_up(0.2061, 0.0873, "map units")
    (('224 m', '153 m', '71 m'), ('0.206 map units', '0.087 map units', '0.119 map units'))
    """
    if unit == "m":
        digits = 0 if total >= 10 else 1
    else:
        digits = 0 if total <= 0 else max(0, 2 - math.floor(math.log10(total)))
    whole, first = round(total, digits), round(part, digits)
    rest = round(whole - first, digits)
    sign = "−" if rest < 0 else ""
    return f"{whole:,.{digits}f} {unit}", f"{first:,.{digits}f} {unit}", f"{sign}{abs(rest):,.{digits}f} {unit}"


def metres(value: float) -> str:
    """A length in metres: "1,234 m", "4.2 m"."""
    return length(value, "m")


def metres_or_kilometres(value: float, digits: int = 1) -> str:
    """A length in metres, from 1,000 m on in kilometres with `digits` decimals.

    >>> metres_or_kilometres(850), metres_or_kilometres(13_849)
    ('850 m', '13.8 km')
    """
    return f"{value / 1000:.{digits}f} km" if value >= 1000 else f"{value:.0f} m"


def percent(share: float, standard_error: float = 0.0, digits: int | None = None) -> str:
    """A share or probability in percent, with `digits` decimals; None: one, and two below one percent.

    `standard_error`, a share as well, adds ± 1.96 of it where these digits show it.

    >>> percent(0.1234), percent(0.0071), percent(0.12, standard_error=0.01)
    ('12.3%', '0.71%', '12.0% ± 2.0%')
    """
    if digits is None:
        digits = digits_of_percent(share)
    spread = f"{STANDARD_ERRORS_95 * standard_error:.{digits}%}"
    return f"{share:.{digits}%}" + (f" ± {spread}" if float(spread.rstrip("%")) > 0 else "")


def digits_of_percent(share: float) -> int:
    """How many decimals a share in percent deserves: one, and two below one percent."""
    return 1 if share >= 0.01 else 2


def times(exponent: float) -> str:
    """e^exponent for "… times": two significant digits, or a power of ten where it is very large.

    >>> times(0.5), times(3.5), times(13.2), times(94)
    ('1.6', '33', '540,000', '10^41')
    """
    if exponent > math.log(_LARGEST_WRITTEN_OUT):
        return f"10^{exponent / math.log(10):.0f}"
    factor = math.exp(exponent)
    return f"{factor:.2g}" if factor < 10 else f"{round(factor, 1 - math.floor(math.log10(factor))):,.0f}"


def counted(number: int, noun: str) -> str:
    """A number of things: "1 point", "2 points", "1,000 points"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def command_word(text: str) -> str:
    """The text as one word of a command line, in quotes that every shell knows where it needs them."""
    return f'"{text}"' if " " in text or text.endswith(",") else text


def escaped_markdown(text: str) -> str:
    """The text with a backslash before every sign that Markdown would take for formatting: it shows as it is.

    >>> print(escaped_markdown("*bold* [name]: a_b"))
    \\*bold\\* \\[name\\]\\: a\\_b
    """
    return text.translate({ord(sign): f"\\{sign}" for sign in _MARKDOWN_SIGNS})
