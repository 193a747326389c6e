#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the wheel skua-omp: the package skua_omp and the library that it carries.

    packaging/wheel/make_wheel.py LIBRARY FOLDER

LIBRARY is build/release/lib/skua/libgomp-skua.so.1; libskua-callbacks.so stands beside it. Prints the path of the wheel in FOLDER. The wheel serves every Python from 3.8 on. Its name says which glibc the library
needs; if the library needs more than that, the wheel is for machines like this one only (linux_...). A wheel of the same files has the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# What every Linux with glibc has.
EVERYWHERE = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so\.\d+")
# What libgomp-skua.so.1 calls itself to the loader.
CARRIED = "libgomp.so.1"
# Read by every Python that starts where the wheel is installed.
START = "import os; os.environ.get('PYTHONSKUABLAS') == '1' and __import__('skua_omp.callbacks').callbacks.watch()\n"
METADATA = """Metadata-Version: 2.1
Name: skua-omp
Version: {version}
Summary: OpenMP in Python's packages on the workers of the task-parallel runtime Skua
License: MIT
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
"""
WHEEL = """Wheel-Version: 1.0
Generator: make_wheel.py
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def readelf(option, library):
    return subprocess.run(["readelf", "--wide", option, library], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}).stdout


def platform_of(libraries):
    """The tag of the wheel, and the libraries for which it is none of manylinux."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    versions, others = [(2, 5)], set()
    for library in libraries:
        others |= {name for name in re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("-d", library)) if name != CARRIED and not EVERYWHERE.fullmatch(name)}
        versions += [tuple(map(int, found)) for found in re.findall(r"\bGLIBC_(\d+)\.(\d+)", readelf("-V", library))]
    major, minor = max(versions)
    return here if others else here.replace("linux", f"manylinux_{major}_{minor}"), others


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def stripped(library, folder):
    copy = pathlib.Path(folder) / library.name
    shutil.copyfile(library, copy)
    subprocess.run(["strip", "--strip-unneeded", copy], check=True)
    return copy


def make(library, folder):
    """The path of the wheel, and the libraries that keep it from being one of manylinux."""
    version = re.search(r"project\(skua VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    libraries = [library, library.parent / "libskua-callbacks.so"]
    platform, others = platform_of(libraries)
    info = f"skua_omp-{version}.dist-info"
    with tempfile.TemporaryDirectory() as scratch:
        files = {f"skua_omp/{path.name}": path.read_bytes() for path in sorted((HERE / "skua_omp").glob("*.py"))}
        files |= {f"skua_omp/{re.sub(r'so[.]1[.].*', 'so.1', path.name)}": stripped(path, scratch).read_bytes() for path in libraries}
        files["skua_omp.pth"] = START.encode()
    files |= {f"{info}/METADATA": METADATA.format(version=version).encode(), f"{info}/WHEEL": WHEEL.format(platform=platform).encode(),
              f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes()}
    files[f"{info}/RECORD"] = ("".join(record_line(name, content) for name, content in files.items()) + f"{info}/RECORD,,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"skua_omp-{version}-py3-none-{platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel, others


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    made, needed = make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    if needed:
        print(f"make_wheel: the library needs {', '.join(sorted(needed))}, so the wheel is for machines like this one", file=sys.stderr)
    print(made)
