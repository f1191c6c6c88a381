/** The settings of a service, for clients that show and change them. Made by `npm run client`; changes go into worker/domain/services/settings/. */
import type { PatchServiceBody } from './api-types.ts';

export interface ServiceSetting {
  /** `names`: pairs of a variable's key and name. `options`: of a database engine, by name. */
  control: 'text' | 'number' | 'switch' | 'choice' | 'words' | 'names' | 'options';
  /** What brings a change to the live version, at least. */
  appliedBy: 'nothing' | 'restart' | 'deployment';
  /** The API never shows it. */
  isHidden?: true;
  /** It can't be empty. */
  isRequired?: boolean;
  choices?: readonly string[];
  /** Kinds of services that have it. Absent: all. */
  kinds?: readonly ('git' | 'upload' | 'image' | 'database')[];
  isForWeb?: true;
  /** Databases that have it. Absent: all. */
  engines?: readonly string[];
  /** Title of its group in forms. Absent: forms do not show it. */
  group?: string;
  label?: string;
  help?: string;
}

export const serviceSettings: Readonly<Record<keyof PatchServiceBody, ServiceSetting>> = {
  name: {"control":"text","appliedBy":"nothing","isRequired":true,"group":"General","label":"Name","help":"Name, for people. It can be changed."},
  repoFullName: {"control":"text","appliedBy":"deployment","isRequired":false},
  repoUrl: {"control":"text","appliedBy":"deployment","isRequired":true},
  branch: {"control":"text","appliedBy":"deployment","isRequired":true,"kinds":["git"],"group":"Build","label":"Branch","help":"Branch that is deployed."},
  imageRef: {"control":"text","appliedBy":"deployment","isRequired":true,"kinds":["image"],"group":"Build","label":"Image","help":"Such as ghcr.io/owner/app:1.2."},
  gitToken: {"control":"text","appliedBy":"deployment","isHidden":true,"isRequired":false},
  rootDir: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Directory","help":"Directory of the service in its repository; empty: the root."},
  runtimeMode: {"control":"choice","appliedBy":"deployment","isRequired":true,"choices":["web","worker","static"],"kinds":["git","upload","image"],"group":"Build","label":"Kind","help":"web answers HTTP, worker has no port, static serves files."},
  buildMethod: {"control":"choice","appliedBy":"deployment","isRequired":true,"choices":["auto","dockerfile","analyzer"],"kinds":["git","upload"],"group":"Build","label":"Build with","help":"auto uses a Dockerfile if there is one, else the analyzer."},
  dockerfilePath: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Dockerfile","help":"Path of the Dockerfile in the directory of the service; empty: Dockerfile."},
  buildTarget: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Target stage","help":"Stage of the Dockerfile that is built, by its name or number; empty: the last one."},
  releaseCommand: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload","image"],"group":"Build","label":"Release command","help":"Runs once in the new image, before a new version starts; its failure keeps the old version. Null: the Procfile's release."},
  installCommand: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Install command","help":"Command instead of the detected one; not used with a Dockerfile."},
  buildCommand: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Build command","help":"Command instead of the detected one; not used with a Dockerfile."},
  startCommand: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Start command","help":"Command instead of the detected one; not used with a Dockerfile."},
  staticOutput: {"control":"text","appliedBy":"deployment","isRequired":false,"kinds":["git","upload"],"group":"Build","label":"Output directory","help":"Directory whose files are served after the build, for a static site."},
  watchPaths: {"control":"words","appliedBy":"nothing","isRequired":false,"kinds":["git"],"group":"Build","label":"Watch paths","help":"Patterns as in .gitignore, from the root of the repository: a push that changes no file they match deploys nothing; empty: each push deploys."},
  waitForChecks: {"control":"switch","appliedBy":"nothing","isRequired":true,"kinds":["git"],"group":"Build","label":"Wait for checks","help":"Whether a push deploys only when the checks of its commit are green at the git host. Null for other sources than a repository."},
  imageUpdates: {"control":"text","appliedBy":"nothing","isRequired":false,"kinds":["image"],"group":"Build","label":"Deploy new digests","help":"When a new digest of the tag deploys by itself: always, or days, times and a time zone; empty: never."},
  internalPort: {"control":"number","appliedBy":"restart","isRequired":true,"kinds":["git","upload","image"],"isForWeb":true,"group":"Running","label":"Port","help":"Port on which the app listens in its container; it also gets it as PORT."},
  protocol: {"control":"choice","appliedBy":"restart","isRequired":true,"choices":["http1","h2c"],"kinds":["git","upload","image"],"isForWeb":true,"group":"Running","label":"Protocol","help":"What the app speaks on its port: http1, or h2c, which is HTTP/2 without TLS, for gRPC."},
  replicas: {"control":"number","appliedBy":"restart","isRequired":true,"kinds":["git","upload","image"],"isForWeb":true,"group":"Running","label":"Replicas","help":"How many containers serve it, 1 to 10; each has the limits of memory and processors."},
  sleepAfterMinutes: {"control":"number","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"isForWeb":true,"group":"Running","label":"Sleep after minutes","help":"Minutes without a request after which its containers stop until the next one, 5 to 1,440; empty: never."},
  memoryLimitMb: {"control":"number","appliedBy":"restart","isRequired":false,"group":"Running","label":"Memory limit in MB","help":"Memory limit in megabytes, at least 16; empty: none of its own."},
  cpuLimit: {"control":"number","appliedBy":"restart","isRequired":false,"group":"Running","label":"Processor limit","help":"Limit in processors, such as 0.5; empty: none of its own."},
  healthCheckPath: {"control":"text","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"isForWeb":true,"group":"Health check","label":"Path","help":"Path that must answer with 2xx or 3xx before a version goes live; empty: only its port must open."},
  healthCheckHost: {"control":"text","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"isForWeb":true,"group":"Health check","label":"Host","help":"Host header of health checks; empty: the name that visitors use, which is the first active domain or the generated name."},
  healthCheckIntervalSeconds: {"control":"number","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"isForWeb":true,"group":"Health check","label":"Interval in seconds","help":"Seconds between two health checks of a new version, 0.1 to 60; empty: 0.02 at first, growing to 0.2."},
  healthCheckTimeoutSeconds: {"control":"number","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"isForWeb":true,"group":"Health check","label":"Timeout in seconds","help":"Seconds that one health check may take, 1 to 60; empty: 5."},
  healthCheckStartPeriodSeconds: {"control":"number","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"isForWeb":true,"group":"Health check","label":"Start period in seconds","help":"Seconds that a new version may take to its first good answer, 5 to 900; empty: 60."},
  drainSeconds: {"control":"number","appliedBy":"restart","isRequired":true,"kinds":["git","upload","image"],"isForWeb":true,"group":"End of a version","label":"Drain in seconds","help":"Seconds that what is open to a version goes on after another one has taken over, 0 to 3,600."},
  stopGraceSeconds: {"control":"number","appliedBy":"restart","isRequired":true,"kinds":["git","upload","image"],"group":"End of a version","label":"Grace period in seconds","help":"Seconds that a version has to end after its stop signal, before it is killed, 0 to 600."},
  stopSignal: {"control":"text","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"group":"End of a version","label":"Stop signal","help":"The signal that asks a version to end; empty: its image's own, usually SIGTERM."},
  entrypoint: {"control":"words","appliedBy":"restart","isRequired":false,"kinds":["image"],"group":"Container","label":"Entrypoint","help":"Program in place of the image's own."},
  command: {"control":"words","appliedBy":"restart","isRequired":false,"kinds":["image"],"group":"Container","label":"Command","help":"Arguments in place of the image's own; no shell reads them."},
  user: {"control":"text","appliedBy":"restart","isRequired":false,"kinds":["image"],"group":"Container","label":"User","help":"User in place of the image's own."},
  shmSizeMb: {"control":"number","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"],"group":"Running","label":"Shared memory in MB","help":"Size of /dev/shm in megabytes, for browsers; empty: Docker's own, 64."},
  variableNames: {"control":"names","appliedBy":"restart","isRequired":false,"kinds":["git","upload","image"]},
  databasePublicEnabled: {"control":"switch","appliedBy":"restart","isRequired":true,"kinds":["database"],"group":"Connections","label":"Reachable from outside","help":"Whether its port is open on all addresses of the host; otherwise only services and the host itself reach it."},
  databasePublicHostname: {"control":"text","appliedBy":"restart","isRequired":false,"kinds":["database"],"group":"Connections","label":"Public host name","help":"Host name of a public database, which points to its host."},
  postgresLogicalReplicationEnabled: {"control":"switch","appliedBy":"restart","isRequired":true,"kinds":["database"],"engines":["postgres","timescale"],"group":"Connections","label":"Logical replication","help":"Whether PostgreSQL runs with wal_level=logical, as tools that copy changes need it."},
  engineSettings: {"control":"options","appliedBy":"restart","isRequired":false,"kinds":["database"]},
  runnerId: {"control":"text","appliedBy":"deployment","isRequired":true},
  protected: {"control":"switch","appliedBy":"nothing","isRequired":true,"group":"General","label":"Protected from deletion","help":"Ending it needs a key of the level “destroy”."},
};
