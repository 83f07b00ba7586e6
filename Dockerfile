# Millrace in one image; the command says which process it is: start, api, worker, ingest-worker, scheduler (see compose.yaml).

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

# What runs: no compiler, no package manager, no source, and a user who owns nothing but the data.
FROM node:20-bookworm-slim
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && mkdir -p /data/uploads /data/artifacts /var/lib/millrace \
 && chown -R node:node /data /var/lib/millrace
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/db ./db
COPY --from=build /app/models ./models
COPY --from=build /app/samples ./samples
COPY --from=build /app/docs ./docs
ENV NODE_ENV=production HOST=0.0.0.0 MILLRACE_HOME=/var/lib/millrace UPLOAD_STORE_PATH=/data/uploads ARTIFACT_STORE_PATH=/data/artifacts
USER node
VOLUME ["/data/uploads", "/data/artifacts", "/var/lib/millrace"]
EXPOSE 8080 8002
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main/main.js"]
CMD ["start"]
