FROM ruby:3.3-slim AS build
WORKDIR /app
ENV BUNDLE_IGNORE_FUNDING_REQUESTS=true BUNDLE_SILENCE_ROOT_WARNING=true
ARG GREETING
ENV BUNDLE_PATH="/usr/local/bundle"
ENV BUNDLE_WITHOUT="development:test"
ENV BUNDLE_DEPLOYMENT="1"
COPY source/ /app/
RUN bundle install && rm -rf "$BUNDLE_PATH"/ruby/*/cache
RUN mkdir -p /usr/local/bundle

FROM ruby:3.3-slim
ENV HOME="/app"
ENV BUNDLE_PATH="/usr/local/bundle"
ENV BUNDLE_WITHOUT="development:test"
ENV BUNDLE_DEPLOYMENT="1"
ENV RACK_ENV="production"
ENV APP_ENV="production"
COPY --from=build --chown=1000:1000 /usr/local/bundle/ /usr/local/bundle/
COPY --from=build --chown=1000:1000 /app/ /app/
WORKDIR /app
USER 1000:1000
ENTRYPOINT []
CMD ["/bin/sh", "-c", "exec bundle exec ruby app.rb"]
