/** Java, Kotlin and other JVM languages with Maven or Gradle: https://maven.apache.org/, https://docs.gradle.org/ */
import { posix } from 'node:path';
import { build, copyAll, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { chooseVersion, toolVersion, type VersionHint, versionFile, versionIn } from '../version-files.ts';

/** The directory in which a build collects the files for the final image, independent of the project's own names. */
const result = '/result';

interface JavaFramework {
  id: string;
  /** A match in the build file identifies the framework. */
  sign: RegExp;
  /** Flags before `-jar`. */
  flags: string;
}

const frameworks: JavaFramework[] = [
  { id: 'spring-boot', sign: /spring-boot|org\.springframework\.boot/, flags: '-Dserver.port=$PORT' },
  {
    id: 'quarkus',
    sign: /io\.quarkus|quarkus-(maven|gradle)-plugin/,
    flags: '-Dquarkus.http.host=0.0.0.0 -Dquarkus.http.port=$PORT',
  },
  { id: 'micronaut', sign: /io\.micronaut/, flags: '-Dmicronaut.server.port=$PORT' },
];

/** The heap grows with the container's memory limit; the default is a quarter of it. */
const memory = '-XX:MaxRAMPercentage=75';

const gradleFiles = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];

export const java: Provider = {
  name: 'java',
  fits: (files) => files.has('pom.xml') || gradleFiles.some(files.has),
  /** The image has the program, but not the directories of the build. */
  procfileStart: (command) =>
    command
      .replace(
        /(?<=\s|^)(?:\.\/)?(?:[\w.-]+\/)*(?:target|build\/libs)\/[\w.*-]+\.jar(?=\s|$)/,
        '/app/app.jar',
      )
      .replace(
        /(?<=\s|^)(?:\.\/)?(?:[\w.-]+\/)*build\/install\/[\w.-]+\/bin\/[\w.-]+(?=\s|$)/,
        '/app/bin/app',
      ),
  plan(files, overrides) {
    const { version, from } = javaVersion(files, overrides);
    const tool = files.has('pom.xml') ? maven(files, overrides) : gradle(files, overrides);
    const framework = frameworks.find(({ sign }) => sign.test(tool.manifest)) ?? null;
    const start = framework?.id === 'quarkus' ? 'quarkus-run.jar' : 'app.jar';
    const command = tool.isScript
      ? '/app/bin/app'
      : `java ${memory} ${framework ? `${framework.flags} ` : ''}-jar /app/${start}`;
    return {
      provider: 'java',
      framework: framework?.id ?? null,
      notes: [`Java ${version} (${from}), ${tool.name}`],
      build: {
        image: { name: tool.image, version },
        packages: [],
        steps: [
          copyAll,
          ...(overrides.installCommand ? [run(overrides.installCommand)] : []),
          ...build([run(tool.build, tool.caches)], overrides),
          run(`mkdir -p ${result} && ${tool.collect}`),
        ],
      },
      output: served(
        {
          type: 'run',
          image: { name: 'jre', version },
          packages: [],
          copies: [{ from: `${result}/`, to: '/app/' }],
          env: tool.isScript ? { JAVA_OPTS: memory } : {},
          start: overrides.startCommand || command,
        },
        overrides,
      ),
      release: null,
    };
  },
};

interface JavaBuild {
  name: string;
  /** A name in base-images.ts. */
  image: string;
  /** Text of the build files that identify the project. */
  manifest: string;
  build: string;
  caches: string[];
  /** A command line that puts app.jar, quarkus-run.jar or bin/app into the result. */
  collect: string;
  /** True if the result has a start script with the class path. */
  isScript: boolean;
}

function maven(files: ProjectFiles, { env }: BuildOverrides): JavaBuild {
  const parent = files.read('pom.xml') ?? '';
  const modules = [...parent.matchAll(/<module>\s*([^<\s]+)\s*<\/module>/g)].map((match) => match[1] ?? '');
  const poms = modules.map((module) => [module, files.read(posix.join(module, 'pom.xml')) ?? ''] as const);
  const runnable = poms.filter(([, text]) =>
    /spring-boot-maven-plugin|quarkus-maven-plugin|<mainClass>/.test(text),
  );
  const module = chooseModule(
    runnable.map(([name]) => name),
    env,
  );
  const manifest = poms.find(([name]) => name === module)?.[1] ?? parent;
  const hasWrapper = files.has('mvnw') && files.has('.mvn/wrapper/maven-wrapper.properties');
  const only = module === '.' ? '' : ` --projects ${module} --also-make`;
  return {
    name: hasWrapper ? 'Maven (wrapper)' : 'Maven',
    image: hasWrapper ? 'jdk' : 'maven',
    manifest,
    build: `${hasWrapper ? 'sh mvnw' : 'mvn'} --batch-mode -DskipTests${only} package`,
    caches: ['/root/.m2'],
    collect: `${collectJar(posix.join(module, 'target'), posix.join(module, 'target'))}${collectLibraries(posix.join(module, 'target'))}`,
    isScript: false,
  };
}

function gradle(files: ProjectFiles, { env }: BuildOverrides): JavaBuild {
  const settings = files.read('settings.gradle') ?? files.read('settings.gradle.kts') ?? '';
  const included = [...settings.matchAll(/include\s*\(?\s*([^\n)]+)/g)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/["']:?([\w.:-]+)["']/g)].map((name) =>
      (name[1] ?? '').replaceAll(':', '/'),
    ),
  );
  const text = (directory: string) =>
    files.read(posix.join(directory, 'build.gradle')) ??
    files.read(posix.join(directory, 'build.gradle.kts')) ??
    '';
  const starts = /org\.springframework\.boot|io\.quarkus|io\.micronaut\.application|["'(`\s]application\b/;
  // `apply false` only sets a plugin's version, for the subprojects.
  const applied = (directory: string) => text(directory).replace(/^.*\bapply\(?\s*false\b.*$/gm, '');
  const directory = starts.test(applied('.'))
    ? '.'
    : chooseModule(
        included.filter((one) => starts.test(applied(one))),
        env,
      );
  // Version catalogs also contain plugins: https://docs.gradle.org/current/userguide/version_catalogs.html
  const uses = text(directory);
  const catalog = /\blibs\./.test(uses) ? (files.read('gradle/libs.versions.toml') ?? '') : '';
  const manifest = `${uses}\n${catalog}`;
  const isFrame = /org\.springframework\.boot|io\.quarkus/.test(manifest);
  const isScript = !isFrame && /["'(`\s]application\b|io\.micronaut\.application/.test(manifest);
  const task = `${directory === '.' ? '' : `:${directory.replaceAll('/', ':')}:`}${isScript ? 'installDist' : 'assemble'}`;
  const at = posix.join(directory, 'build');
  const hasWrapper = files.has('gradlew');
  return {
    name: hasWrapper ? 'Gradle (wrapper)' : 'Gradle',
    image: hasWrapper ? 'jdk' : 'gradle',
    manifest,
    build: `${hasWrapper ? 'sh gradlew' : 'gradle'} --no-daemon ${task}`,
    caches: [hasWrapper ? '/root/.gradle' : '/home/gradle/.gradle'],
    collect: isScript
      ? `cp -R ${at}/install/*/. ${result} && rm -f ${result}/bin/*.bat && mv ${result}/bin/* ${result}/bin/app`
      : collectJar(posix.join(at, 'libs'), at),
    isScript,
  };
}

/** The runnable jar is the largest one; the others contain sources, documentation or only classes. */
const collectJar = (jars: string, quarkus: string) =>
  `if [ -d ${quarkus}/quarkus-app ]; then cp -R ${quarkus}/quarkus-app/. ${result}; else cp "$(ls -S ${jars}/*.jar | head -n 1)" ${result}/app.jar; fi`;

/** A jar that is not "fat" names its libraries beside it: Helidon and `dependency:copy-dependencies` put them into one of these. */
const collectLibraries = (target: string) =>
  ` && for one in libs lib dependency; do if [ -d ${target}/$one ]; then cp -R ${target}/$one ${result}/; fi; done`;

/** `1.8` and `8` are the same; tags only have the major version. */
function javaVersion(files: ProjectFiles, { env }: BuildOverrides) {
  const inGradle = (pattern: RegExp) =>
    gradleFiles.slice(0, 2).map((path) => versionIn(files, path, pattern));
  const hints: VersionHint[] = [
    ['JAVA_VERSION', env.JAVA_VERSION],
    versionFile(files, '.java-version'),
    toolVersion(files, 'java'),
    versionIn(files, '.sdkmanrc', /^java=(\d[\d.]*)/m),
    versionIn(files, 'system.properties', /^java\.runtime\.version\s*=\s*(\S+)/m),
    versionIn(files, 'pom.xml', /<(?:java\.version|maven\.compiler\.release)>\s*([\d.]+)\s*</),
    versionIn(files, 'pom.xml', /<(?:maven\.compiler\.(?:target|source)|release)>\s*([\d.]+)\s*</),
    ...inGradle(/JavaLanguageVersion\.of\(\s*["']?(\d+)/),
    ...inGradle(/jvmToolchain\(\s*(\d+)/),
    ...inGradle(/(?:source|target)Compatibility\s*=\s*(?:JavaVersion\.VERSION_)?["']?([\d._]+)/),
  ];
  const major = (text: string | undefined) => text?.replace(/^\D+-/, '').replace(/^1[._](?=\d)/, '');
  return chooseVersion(
    ['21', '25', '17', '11', '8'],
    hints.map(([from, text]) => [from, major(text)]),
    1,
  );
}

/** Preferred if there are several programs. */
const serving = /(^|-)(server|web|webapp|api|app|application|boot|bootstrap|main)$/;

/**
 * Chooses the module of a Maven or Gradle build that is the server.
 * @param runnable directories of the modules that are programs
 * @returns the root if no module is one
 * @throws AnalyzerError when there are several without a setting that chooses one
 */
function chooseModule(runnable: readonly string[], env: Readonly<Record<string, string>>): string {
  const wanted = env.JAVA_MODULE;
  if (wanted) {
    if (runnable.includes(wanted)) return wanted;
    throw new AnalyzerError(`JAVA_MODULE is ${wanted}, but there is no such program${listed(runnable)}.`);
  }
  const [only = '.', ...others] = runnable;
  if (others.length === 0) return only;
  const preferred = runnable.filter((module) => serving.test(posix.basename(module)));
  if (preferred.length === 1 && preferred[0]) return preferred[0];
  throw new AnalyzerError(
    `There are several programs${listed(runnable)}: set the variable JAVA_MODULE to one of them.`,
  );
}

/** More names would hide the rest of the message. */
const namesMax = 12;

const listed = (modules: readonly string[]) =>
  modules.length === 0
    ? ''
    : ` (${modules.slice(0, namesMax).join(', ')}${modules.length > namesMax ? ', ...' : ''})`;
