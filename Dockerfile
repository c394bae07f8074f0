# Switchboard as a container. Built from the root of the repository:
#
#   docker build -t switchboard:0.1.0 .
#   buildah build --format docker -t switchboard:0.1.0 .
#
# Without --format docker, buildah and podman leave out HEALTHCHECK. Only the paths of the COPY lines reach a layer, so
# nothing has to be ignored. BASE: any Debian image whose python3 is 3.11 or later and has its venv module.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /build
# pip and the build tool stay in this stage; both locks are hashed
RUN python3 -m venv tools && python3 -m venv --without-pip /opt/switchboard
COPY requirements.txt docs/deploy/build-requirements.txt ./
RUN tools/bin/pip --python /opt/switchboard/bin/python install --no-cache-dir --require-hashes -r requirements.txt
RUN tools/bin/pip install --no-cache-dir --require-hashes -r build-requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY handlers handlers
COPY storage storage
RUN tools/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist .
RUN tools/bin/pip --python /opt/switchboard/bin/python install --no-deps --no-index dist/*.whl

FROM ${BASE}
RUN groupadd --gid 10001 switchboard \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/switchboard --shell /usr/sbin/nologin switchboard \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/switchboard
COPY --from=build /opt/switchboard /opt/switchboard
# The volume is all that is written: the database, the anchors, and temporary files, which may be as large as a film.
# The policy is mounted, e.g. --volume ./policy.toml:/etc/switchboard/policy.toml:ro
ENV PATH=/opt/switchboard/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    TMPDIR=/var/lib/switchboard \
    HOST=0.0.0.0 \
    PORT=3000 \
    LOG_FORMAT=json \
    POLICY_FILE=/etc/switchboard/policy.toml \
    DATABASE_URL=sqlite+aiosqlite:////var/lib/switchboard/switchboard.db \
    ANCHORS_FILE=/var/lib/switchboard/switchboard.anchors
WORKDIR /var/lib/switchboard
VOLUME /var/lib/switchboard
USER 10001:10001
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; ask = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); ask.request('GET', '/healthz'); sys.exit(ask.getresponse().status != 200)"]
CMD ["switchboard", "run"]
