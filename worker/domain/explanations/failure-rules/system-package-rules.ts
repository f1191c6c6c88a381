/** Failed installs with apt and apk. */
import { deployAgain, setVariable, shellWord } from './commands.ts';
import type { FailureRule } from './failure.ts';
import { isFromAnalyzer } from './project-tools.ts';

const codes = ['build_failed'] as const;

export const systemPackageRules: readonly FailureRule[] = [
  {
    id: 'system-package-network',
    codes,
    says: /Temporary failure resolving '(?<apt>[^']+)'|E: Failed to fetch|temporary error \(try again later\)|Unable to connect to (?<deb>\S+):http/,
    explain: ({ line }) => ({
      summary: 'The package index of the distribution could not be downloaded during the build.',
      likelyCause: `"${line}". The mirror is down, the release is no longer on the mirrors, or builds on this host have no DNS or no network access.`,
      suggestedFix:
        'Deploy again in a minute. If it fails again, test the download from the host and check its DNS. If the release is old, move to a supported one.',
      steps: ['docker run --rm busybox nslookup example.com', deployAgain],
    }),
  },
  {
    id: 'system-package-unknown',
    codes,
    says: /E: Unable to locate package (?<apt>\S+)|E: Package '(?<gone>[^']+)' has no installation candidate|^ +(?<apk>\S+) \(no such package\)|E: Version '[^']+' for '(?<pinned>[^']+)' was not found/,
    explain: ({ groups }) => {
      const name = groups.apt || groups.gone || groups.apk || groups.pinned || 'a package';
      return {
        summary: `The distribution has no package ${name}.`,
        likelyCause:
          'The package has another name in this release of the base image, or "apt-get update" does not run in the same RUN before the install.',
        suggestedFix:
          'Use "RUN apt-get update && apt-get install -y ...", and look up the package name in the release of the base image.',
        steps: [
          `docker run --rm debian:stable-slim sh -c ${shellWord(`apt-get update -qq && apt-cache search ${shellWord(name)}`)}`,
          deployAgain,
        ],
      };
    },
  },
  {
    id: 'native-library-missing',
    codes,
    says: /^ *(?:By not providing "Find(?<cmake>[\w-]+)\.cmake"|-- {3}Package '(?<pkg>[^']+)', required by .* not found|.*ERROR: Dependency "(?<meson>[^"]+)" not found)|Could NOT find (?<found>[\w-]+) \(missing/,
    explain: ({ groups }, failure) => {
      const name = groups.cmake || groups.pkg || groups.meson || groups.found || 'a library';
      const fromAnalyzer = isFromAnalyzer(failure);
      return {
        summary: `The library ${name} is not installed in the build image.`,
        likelyCause: 'The build asks for it by name, and no package that provides it was installed before.',
        suggestedFix: fromAnalyzer
          ? 'Set the variable APT_PACKAGES to the Debian package with its headers (its name usually ends with -dev), or let the build fetch its source (FetchContent, a Meson wrap).'
          : 'Install the package with its headers (its name usually ends with -dev or -devel) before the build in the Dockerfile.',
        steps: [
          `docker run --rm debian:stable-slim sh -c ${shellWord(`apt-get update -qq && apt-cache search ${shellWord(name.toLowerCase())}`)}`,
          ...(fromAnalyzer ? [setVariable('APT_PACKAGES', '<package>')] : []),
          deployAgain,
        ],
      };
    },
  },
];
