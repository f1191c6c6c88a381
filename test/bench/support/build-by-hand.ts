/** The Dockerfiles that the analyzer is measured against: what the frameworks' own guides advise. CACHE is a name of the round. */

interface HandWritten {
  text: string;
  /** The file that a warm build finds changed. */
  changed: string;
  /** A build of minutes: this many rounds do. */
  roundsMax?: number;
}

const npmCache = '--mount=type=cache,id=CACHE,sharing=locked,target=/root/.npm';

export const benchDockerfiles: Record<string, HandWritten> = {
  'node-npm': {
    changed: 'server.js',
    text: `FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
RUN ${npmCache} npm ci --omit=dev --no-audit --no-fund
COPY . .
USER node
CMD ["node", "server.js"]
`,
  },
  // next.js, examples/with-docker
  next: {
    changed: 'app/page.js',
    roundsMax: 1,
    text: `FROM node:24-slim AS build
WORKDIR /app
ENV NEXT_TELEMETRY_DISABLED=1 NEXT_PRIVATE_STANDALONE=true
COPY package.json package-lock.json ./
RUN ${npmCache} npm ci --no-audit --no-fund
COPY . .
RUN --mount=type=cache,id=CACHE-next,sharing=locked,target=/app/.next/cache npm run build

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOSTNAME=0.0.0.0
COPY --from=build --chown=node:node /app/public ./public
COPY --from=build --chown=node:node /app/.next/standalone ./
COPY --from=build --chown=node:node /app/.next/static ./.next/static
USER node
CMD ["node", "server.js"]
`,
  },
  'vite-react': {
    changed: 'src/main.jsx',
    text: `FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN ${npmCache} npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM scratch
COPY --from=build /app/dist /site
`,
  },
};
