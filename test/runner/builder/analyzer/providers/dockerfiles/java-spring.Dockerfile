FROM maven:3-eclipse-temurin-17 AS build
WORKDIR /app
ARG GREETING
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-root-.m2,sharing=locked,target=/root/.m2 mvn --batch-mode -DskipTests package
RUN mkdir -p /result && if [ -d target/quarkus-app ]; then cp -R target/quarkus-app/. /result; else cp "$(ls -S target/*.jar | head -n 1)" /result/app.jar; fi && for one in libs lib dependency; do if [ -d target/$one ]; then cp -R target/$one /result/; fi; done

FROM eclipse-temurin:17-jre
ENV HOME="/app"
COPY --from=build --chown=1000:1000 /result/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec java -XX:MaxRAMPercentage=75 -Dserver.port=$PORT -jar /app/app.jar"]
