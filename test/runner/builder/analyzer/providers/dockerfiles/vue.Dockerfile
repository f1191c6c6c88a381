FROM node:24-slim AS build
WORKDIR /app
COPY source/package.json source/package-lock.json /app/
RUN npm ci --no-audit --no-fund --include=dev
COPY source/ /app/
RUN npm run build

FROM scratch
COPY --from=build /app/dist/ /site/
