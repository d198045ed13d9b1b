# Mimikit in a container: `docker compose up -d` (docs/install.md).

FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN node scripts/bootstrap.mjs
# What only builds and tests goes, and so does the Node that comes with the packages: the image has one. Without its builder it is a
# package, whose bundles are not compared with sources.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node-linux-* scripts/build.mjs

FROM node:24-slim
# bubblewrap keeps a Worker's shell from the state; tini reaps what outlives its parent.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini && rm -rf /var/lib/apt/lists/*
COPY --from=build /app /app
RUN ln -s /app/apps/cli/bin/mimikit.mjs /usr/local/bin/mimikit
# A named volume that is mounted here takes over the owner.
RUN mkdir /state /workspace && chown 1000:1000 /state /workspace && chmod 700 /state
# Loopback in a container reaches nobody: docker publishes the port where compose.yaml or `-p` says, and the token is asked for as ever.
# PM2's folder is where `mimikit` looks for it.
ENV MIMIKIT_HOME=/state MIMIKIT_WORK_DIR=/workspace MIMIKIT_HOST=0.0.0.0 MIMIKIT_ALLOWED_HOSTS=localhost:8787 PM2_HOME=/state/pm2 PM2_DISABLE_VERSION_CHECK=true
WORKDIR /workspace
USER 1000:1000
VOLUME ["/state", "/workspace"]
EXPOSE 8787
# Without a token and without a command of ours: the address is where the gateway has noted it.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD node -e "fetch(JSON.parse(require('fs').readFileSync(process.env.MIMIKIT_HOME+'/locks/gateway.json')).url+'/readyz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"
ENTRYPOINT ["tini", "--"]
# It starts the three processes, brings them back, and ends them all on SIGTERM.
CMD ["/app/node_modules/.bin/pm2-runtime", "start", "/app/ecosystem.config.cjs", "--no-auto-exit"]
