/** Failed pulls: the image of a service, or the base image of a build. */
import { isBuilt } from '../../services/service-kind.ts';
import { changeSetting, deployAgain, searchFiles, shellWord, storeRegistryLogin } from './commands.ts';
import type { Failure, FailureRule, Step } from './failure.ts';
import { isFromAnalyzer } from './project-tools.ts';

const codes = ['image_failed', 'registry_unauthorized', 'registry_rate_limited', 'build_failed'] as const;

/** Image services and databases specify their image themselves, a build specifies it in its Dockerfile. */
const namesImage = ({ service }: Failure) => !isBuilt(service);
const correction = (failure: Failure): Step[] =>
  namesImage(failure)
    ? [changeSetting('imageRef', '<image>:<tag>'), deployAgain]
    : [searchFiles(failure, "'^FROM'", '*Dockerfile*'), deployAgain];
const place = (failure: Failure) => (namesImage(failure) ? 'imageRef' : 'the FROM line of the Dockerfile');

export const registryRules: readonly FailureRule[] = [
  {
    id: 'registry-rate-limit',
    codes,
    says: /toomanyrequests|429 Too Many Requests|pull rate limit/i,
    explain: ({ line }) => ({
      summary: 'The registry refuses more pulls for now because its rate limit is reached.',
      likelyCause: `"${line}". Registries count pulls per IP address, and the limit for anonymous pulls is lowest.`,
      suggestedFix: `Wait (Docker Hub counts per hour), use a mirror of the image (for example under public.ecr.aws/docker/library), or store a login for the registry: accounts are allowed more pulls.`,
      steps: [storeRegistryLogin, deployAgain],
    }),
  },
  {
    id: 'registry-unreachable',
    codes,
    says: /registry of (?<image>\S+) cannot be reached|(?:failed to (?:do request|fetch (?:anonymous|oauth) token)|Get "https:\/\/[^/"]+\/v2\/).*(dial tcp|i\/o timeout|TLS handshake|x509|EOF)/,
    explain: ({ groups, line }, failure) => ({
      summary: 'The container registry could not be reached from the host.',
      likelyCause: `"${line}". The registry's name is mistyped, the registry is down, or the host can't connect to it.`,
      ...(isFromAnalyzer(failure)
        ? {
            suggestedFix:
              'Make sure that the host can reach the registry, or load the image on the host by hand (docker save, docker load), and deploy again.',
            steps: [`docker pull ${shellWord(groups.image || 'hello-world')}`, deployAgain],
          }
        : {
            suggestedFix: `Check the image in ${place(failure)}, and that the host can reach the registry, or load the image on the host by hand (docker save, docker load). Then deploy again.`,
            steps: ['docker pull hello-world', ...correction(failure)],
          }),
    }),
  },
  {
    id: 'image-architecture',
    codes,
    says: /no match(?:ing manifest)? for (?:platform|(?<platform>linux\/\w+))/,
    explain: ({ groups }, failure) => ({
      summary: `The image does not exist for the processor of this host${groups.platform ? ` (${groups.platform})` : ''}.`,
      likelyCause: 'The tag was only built for another architecture (for example on an ARM laptop).',
      suggestedFix:
        'Build and push the image for both architectures, or choose a tag that supports this one.',
      steps: [
        'docker buildx build --platform linux/amd64,linux/arm64 -t <image>:<tag> --push .',
        ...correction(failure),
      ],
    }),
  },
  {
    id: 'registry-unauthorized',
    codes,
    says: /registry refuses the login|unauthorized|no basic auth credentials|authentication required|failed to authorize|403 Forbidden/i,
    explain: ({ line }) => ({
      summary: 'The registry refused access to the image.',
      likelyCause: `"${line}". The image is private and no login is stored for its registry, or the stored one has expired or may not read it.`,
      suggestedFix:
        'Store a login for the registry, or a new password for the stored one (PATCH /api/registries/<id>).',
      steps: [storeRegistryLogin, deployAgain],
    }),
  },
  {
    id: 'image-not-found',
    codes,
    says: /The image (?<image>\S+) was not found(?: with the login of "(?<user>[^"]*)")?|pull access denied for (?<denied>\S+?),|manifest (?:for (?<tagged>\S+) not found|unknown)|repository does not exist|(?:^|\s)(?<based>[\w.-]+\/[\w./-]+:[\w.-]+): not found$/,
    explain: ({ groups, line }, failure) => {
      const image =
        groups.image || groups.denied || groups.tagged || groups.based || failure.service.imageRef;
      if (groups.user) return missingForLogin(groups.user, { image, line }, failure);
      return {
        summary: `The image ${image ?? ''} does not exist or is private.`.replace('  ', ' '),
        likelyCause: `"${line}". The name or the tag is mistyped, the tag was removed, or the image is private (registries give the same answer for both).`,
        suggestedFix: `Correct ${place(failure)}. If the image is private, store a login for its registry.`,
        steps: [
          ...(image ? [`docker manifest inspect ${shellWord(image)}`] : []),
          storeRegistryLogin,
          ...correction(failure),
        ],
      };
    },
  },
];

/** The registry accepted the stored login: another login helps only if its user may read more. */
const missingForLogin = (
  user: string,
  { image, line }: { image: string | null | undefined; line: string },
  failure: Failure,
) => ({
  summary: `The registry accepts the login of "${user}", and shows it no image ${image ?? ''}.`.replace(
    ' .',
    '.',
  ),
  likelyCause: `"${line}". The name or the tag is mistyped, the tag was removed, or this user may not read it (registries give the same answer for all three).`,
  suggestedFix: `Correct ${place(failure)}, or let "${user}" read the image at the registry. The stored password is right.`,
  steps: [...(image ? [`docker manifest inspect ${shellWord(image)}`] : []), ...correction(failure)],
});
