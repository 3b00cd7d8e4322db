"""Files as the cities' portals export them."""

import numpy as np

CHICAGO_HEADER = (
    "ID,Case Number,Date,Block,IUCR,Primary Type,Description,Location Description,Arrest,Domestic,Beat,District,Ward,"
    "Community Area,FBI Code,X Coordinate,Y Coordinate,Year,Updated On,Latitude,Longitude,Location"
)


def chicago_export(rows, year=2022):
    lines = [CHICAGO_HEADER]
    for x, y in rows:
        place = f'"({y}, {x})"' if x else ""
        lines.append(
            f'1,JF1,01/02/{year} 11:00:00 PM,001XX W ST,0820,THEFT,$500 AND UNDER,"STREET, OTHER",false,false,1,1,1,1,'
            f"06,1176096,1900927,{year},01/09/{year} 03:41:26 PM,{y},{x},{place}"
        )
    return "\n".join(lines) + "\n"


def rows_near(source, count, seed=0):
    west, south, east, north = source.region
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(west, east, count), rng.uniform(south, north, count)
    return [(f"{a:.9f}", f"{b:.9f}") for a, b in zip(x, y, strict=True)]
