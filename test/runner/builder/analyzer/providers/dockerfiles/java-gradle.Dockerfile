FROM gradle:jdk17 AS build
WORKDIR /app
ARG GREETING
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-home-gradle-.gradle,sharing=locked,target=/home/gradle/.gradle gradle --no-daemon installDist
RUN mkdir -p /result && cp -R build/install/*/. /result && rm -f /result/bin/*.bat && mv /result/bin/* /result/bin/app

FROM eclipse-temurin:17-jre
ENV HOME="/app"
ENV JAVA_OPTS="-XX:MaxRAMPercentage=75"
COPY --from=build --chown=1000:1000 /result/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec /app/bin/app"]
