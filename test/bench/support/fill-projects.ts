/** Projects with services, through the API. */
import type { BenchControlPlane } from './control-plane.ts';

/** Requests under way at once. */
const abreast = 8;

export interface Wanted {
  projects: number;
  servicesEach: number;
}

export async function fillProjects(controlPlane: BenchControlPlane, wanted: Wanted): Promise<void> {
  // Read with the first request of a key, so that it holds at once.
  await controlPlane.operator('PATCH', '/api/system/settings', {
    readsPerMinute: 1_000_000,
    writesPerMinute: 1_000_000,
  });
  const numbers = Array.from({ length: wanted.projects }, (_, index) => index + 1);
  await Promise.all(
    Array.from({ length: abreast }, async () => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        await fillProject(controlPlane, number, wanted.servicesEach);
      }
    }),
  );
}

async function fillProject({ call }: BenchControlPlane, number: number, servicesEach: number): Promise<void> {
  const body = { name: `Project ${number}`, description: 'of the bench' };
  const { project } = await call('POST', '/api/projects', body);
  for (let service = 1; service <= servicesEach; service++) {
    await call('POST', `/api/projects/${project.id}/services`, {
      name: `service-${number}-${service}`,
      repoFullName: null,
      repoUrl: 'https://git.example.com/app.git',
      branch: 'main',
      env: [{ key: 'MODE', value: 'production' }],
    });
  }
}
