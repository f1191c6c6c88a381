FROM mcr.microsoft.com/dotnet/sdk:9.0 AS build
WORKDIR /app
ENV DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
ARG GREETING
COPY source/Shop/Shop.csproj /app/Shop/
COPY source/global.json /app/
RUN --mount=type=cache,id=svc_1-root-.nuget-packages,sharing=locked,target=/root/.nuget/packages dotnet restore Shop/Shop.csproj
COPY source/ /app/
RUN --mount=type=cache,id=svc_1-root-.nuget-packages,sharing=locked,target=/root/.nuget/packages dotnet publish Shop/Shop.csproj --configuration Release --output /app/published -p:UseAppHost=false

FROM mcr.microsoft.com/dotnet/aspnet:9.0
ENV HOME="/app"
ENV DOTNET_EnableDiagnostics="0"
COPY --from=build --chown=1000:1000 /app/published/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec env ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet Shop.dll"]
