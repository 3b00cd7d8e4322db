"""How well two colours stand out from each other."""

#: What small print needs at least, by the Web Content Accessibility Guidelines.
READABLE = 4.5


def _luminance(colour: str) -> float:
    bands = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [band / 12.92 if band <= 0.04045 else ((band + 0.055) / 1.055) ** 2.4 for band in bands]
    return sum(weight * band for weight, band in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """Of two colours such as "#33333d", from 1 to 21, as the Web Content Accessibility Guidelines define it."""
    darker, lighter = sorted(_luminance(colour) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)
