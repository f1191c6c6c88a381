/** Variables that the platform gives to every container, and what comes of it when a service sets them itself: its own value holds. */
import { isRouted, isStaticSite, type ServiceKind } from './service-kind.ts';

interface Service {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
  internalPort: number;
}

/** Sentences as those about references, each led by its variable. Values are secrets: none is told. @param values resolved */
export function platformVariableWarnings(service: Service, values: ReadonlyMap<string, string>): string[] {
  const warnings: string[] = [];
  const port = values.get('PORT');
  if (port !== undefined && takesPort(service) && Number(port) !== service.internalPort) {
    warnings.push(
      `PORT: the service sets another port than its internalPort ${service.internalPort}, which is where requests go. Remove the variable, or change internalPort.`,
    );
  }
  if (values.has('LONGSHORE_COMMIT_SHA') && service.kind === 'git') {
    warnings.push(
      'LONGSHORE_COMMIT_SHA: the service sets it itself, so the app does not learn which commit it is. Remove the variable.',
    );
  }
  return warnings;
}

function takesPort(service: Service): boolean {
  return isRouted(service) && !isStaticSite(service);
}
