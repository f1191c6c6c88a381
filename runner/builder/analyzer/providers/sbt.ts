/** Scala with sbt. No image that the analyzer knows has sbt, so the error recommends a solution. */
import { AnalyzerError, type Provider } from '../provider.ts';

export const sbt: Provider = {
  name: 'sbt',
  /** A pom.xml beside it is built by Maven. */
  fits: (files) => files.has('build.sbt') && !files.has('pom.xml'),
  plan() {
    throw new AnalyzerError(
      'This is a project of sbt, which Longshore does not build by itself: add a Dockerfile that runs "sbt stage" in an image with sbt (such as sbtscala/scala-sbt) and starts target/universal/stage/bin/<name>, with the port from the variable PORT.',
    );
  },
};
