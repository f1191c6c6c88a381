/** Warnings about platform variables (such as PORT) that a service sets itself, since the service's value takes precedence. */
import { isRouted, isStaticSite, type ServiceKind } from '../services/service-kind.ts';

/** Platform variables that a service may set itself. */
export const platformVariables: readonly string[] = ['PORT', 'LONGSHORE_COMMIT_SHA'];

interface Service {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
  internalPort: number;
}

/** Warnings that each start with the variable's name. They never include values, which may be secret. @param values resolved */
export function platformVariableWarnings(service: Service, values: ReadonlyMap<string, string>): string[] {
  const warnings: string[] = [];
  const port = values.get('PORT');
  if (port !== undefined && takesPort(service) && Number(port) !== service.internalPort) {
    warnings.push(
      `PORT: the service sets this variable to a port other than its internalPort ${service.internalPort}, where requests are sent. Remove the variable, or change internalPort.`,
    );
  }
  if (values.has('LONGSHORE_COMMIT_SHA') && service.kind === 'git') {
    warnings.push(
      "LONGSHORE_COMMIT_SHA: the service sets this variable itself, so the app can't read its commit from it. Remove the variable.",
    );
  }
  return warnings;
}

function takesPort(service: Service): boolean {
  return isRouted(service) && !isStaticSite(service);
}
