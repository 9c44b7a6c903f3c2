# The commands with the extra `all`:
#
#     docker build --tag cleverdon .
#     docker run --rm --volume "$PWD:/data" --user "$(id -u)" cleverdon eval qrels.txt bm25.run
#
# The compiler stays in the first stage. An abi3 wheel that Debian's Python 3.11 builds fits newer ones.
FROM rust:1.95-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY rust rust
COPY src src
RUN python3 -m venv /build \
 && /build/bin/pip wheel --no-cache-dir --no-deps --wheel-dir /dist .

FROM python:3.13-slim-bookworm
COPY --from=build /dist /dist
# The wheel that was just built has one version.
# hadolint ignore=DL3013
RUN wheel="$(ls /dist/*.whl)" \
 && pip install --no-cache-dir "${wheel}[all]" \
 && rm -r /dist \
 && useradd --create-home --uid 1000 cleverdon
USER 1000
WORKDIR /data
ENTRYPOINT ["cleverdon"]
CMD ["--help"]
