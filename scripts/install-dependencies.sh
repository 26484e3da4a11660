#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, where they are missing.
#
# Does nothing, and needs no network, when all of them are there. Swift itself is not installed:
# it must be in PATH, but the libraries it needs to start are in this list.
set -euo pipefail

# One requirement a line: the package, or several that serve as well, the preferred one first.
requirements=(
    # The libraries that we link against, and how the build finds them.
    libsqlite3-dev
    libssl-dev
    "pkg-config|pkgconf"
    # What Swift needs to compile and link.
    binutils
    "libgcc-12-dev|libgcc-13-dev|libgcc-14-dev"
    libc6-dev
    "libstdc++-12-dev|libstdc++-13-dev|libstdc++-14-dev"
    zlib1g-dev
    # What the Swift tools need to start.
    "libcurl4|libcurl4t64"
    "libedit2"
    libncurses6
    libsqlite3-0
    "libxml2|libxml2-16"
    libuuid1
    tzdata
    git
    # What the tests against other implementations need.
    ca-certificates
    curl
    python3
    python3-venv
)

installed() {
    dpkg-query --show --showformat='${db:Status-Status}\n' "$1" 2>/dev/null |
        grep --quiet --line-regexp installed
}

any_installed() {
    local name
    for name in ${1//|/ }; do
        if installed "$name"; then return 0; fi
    done
    return 1
}

available() {
    [[ -n $(apt-cache show "$1" 2>/dev/null) ]]
}

if ! command -v dpkg-query >/dev/null; then
    if command -v pkg-config >/dev/null && pkg-config --exists sqlite3 openssl; then
        exit 0
    fi
    echo "This is no Debian-like system, so nothing can be installed here automatically." >&2
    echo "Please install the development files of SQLite 3 and OpenSSL 3, pkg-config," >&2
    echo "and Python 3 with its venv module; then run make again." >&2
    exit 1
fi

missing=()
for requirement in "${requirements[@]}"; do
    any_installed "$requirement" || missing+=("$requirement")
done
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "These Debian packages are missing: ${missing[*]%%|*}" >&2
        echo "Installing them needs root, and there is no sudo. As root, please run:" >&2
        echo "  apt-get install --no-install-recommends ${missing[*]%%|*}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing what is missing: ${missing[*]%%|*}" >&2
export DEBIAN_FRONTEND=noninteractive
if ! "${as_root[@]}" apt-get update --quiet >&2; then
    echo "The package lists could not be refreshed; trying with those at hand." >&2
fi
chosen=()
for requirement in "${missing[@]}"; do
    pick=${requirement%%|*}
    for name in ${requirement//|/ }; do
        if available "$name"; then
            pick=$name
            break
        fi
    done
    chosen+=("$pick")
done
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --quiet --no-install-recommends "${chosen[@]}" >&2; then
    echo "apt-get could not install: ${chosen[*]}" >&2
    echo "Its message stands above. Once it is mended, run make again." >&2
    exit 1
fi
