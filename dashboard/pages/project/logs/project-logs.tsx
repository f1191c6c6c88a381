/** The output of a project's services in one explorer. */
import type { Project } from '../../../api/queries.ts';
import { LogExplorer } from '../../../log/explorer/log-explorer.tsx';

export function ProjectLogs(props: { project: Project }) {
  return (
    <LogExplorer
      of={{ projectId: props.project.id }}
      services={props.project.services}
      name={props.project.slug}
    />
  );
}
