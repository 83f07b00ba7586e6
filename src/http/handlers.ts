// The operations the HTTP layer brings itself, one file each. Pipelines and the engine bring theirs through AppDeps.handlers.
import type { Handlers } from './call.ts';
import { mcpHandlers } from './mcp/mcp-handlers.ts';
import { createApiKey } from './routes/api-keys/create.ts';
import { listApiKeys } from './routes/api-keys/list.ts';
import { revokeApiKey } from './routes/api-keys/revoke.ts';
import { login } from './routes/auth/login.ts';
import { logout } from './routes/auth/logout.ts';
import { me } from './routes/auth/me.ts';
import { changePassword } from './routes/auth/password.ts';
import { createClient } from './routes/clients/create.ts';
import { listClients } from './routes/clients/list.ts';
import { removeClient } from './routes/clients/remove.ts';
import { showClient } from './routes/clients/show.ts';
import { updateClient } from './routes/clients/update.ts';
import { listIngestionRuns } from './routes/ingestion-runs/list.ts';
import { retryIngestionRun } from './routes/ingestion-runs/retry.ts';
import { showIngestionRun } from './routes/ingestion-runs/show.ts';
import { liveRunStream } from './routes/live/run-stream.ts';
import { liveSocket } from './routes/live/socket.ts';
import { liveStream } from './routes/live/stream.ts';
import { createMembership } from './routes/memberships/create.ts';
import { listMemberships } from './routes/memberships/list.ts';
import { revokeMembership } from './routes/memberships/revoke.ts';
import { listAudit } from './routes/operate/audit.ts';
import { listLanes } from './routes/operate/lanes.ts';
import { listSchedules } from './routes/operate/schedules.ts';
import { listWorkers } from './routes/operate/workers.ts';
import { listPipelines } from './routes/pipelines/list.ts';
import { pausePipeline, resumePipeline } from './routes/pipelines/pause.ts';
import { answerQuestion } from './routes/questions/answer.ts';
import { listQuestions } from './routes/questions/list.ts';
import { listClusters } from './routes/rejects/clusters.ts';
import { correctReject } from './routes/rejects/correct.ts';
import { correctCluster } from './routes/rejects/correct-cluster.ts';
import { downloadRejects } from './routes/rejects/download.ts';
import { listRejects } from './routes/rejects/list.ts';
import { replayRejects } from './routes/rejects/replay.ts';
import { listAttempts } from './routes/runs/attempts.ts';
import { bulk } from './routes/runs/bulk.ts';
import { cancelRun } from './routes/runs/cancel.ts';
import { acknowledgeDeadLetter, listDeadLetters } from './routes/runs/dead-letters.ts';
import { listRunEvents } from './routes/runs/events.ts';
import { holdRun } from './routes/runs/hold.ts';
import { listRuns } from './routes/runs/list.ts';
import { runReadings } from './routes/runs/reading.ts';
import { requeueRun } from './routes/runs/requeue.ts';
import { requeueDeadLetter } from './routes/runs/requeue-dead-letter.ts';
import { resumeRun } from './routes/runs/resume.ts';
import { retryRun } from './routes/runs/retry.ts';
import { listFileRows } from './routes/runs/rows.ts';
import { showRun } from './routes/runs/show.ts';
import { startRun } from './routes/runs/start.ts';
import { undoRun } from './routes/runs/undo.ts';
import { verifyRun } from './routes/runs/verify.ts';
import { health } from './routes/system/health.ts';
import { tenantMetrics } from './routes/system/metrics.ts';
import { openapi } from './routes/system/openapi.ts';
import { prometheus } from './routes/system/prometheus.ts';
import { ready } from './routes/system/ready.ts';
import { listUploads } from './routes/uploads/list.ts';
import { showUpload } from './routes/uploads/show.ts';
import { createUser } from './routes/users/create.ts';
import { listUsers } from './routes/users/list.ts';
import { removeUser } from './routes/users/remove.ts';
import { resetUser } from './routes/users/reset.ts';
import { showUser } from './routes/users/show.ts';
import { updateUser } from './routes/users/update.ts';

export const ownHandlers: Handlers = {
  ...health,
  ...ready,
  ...prometheus,
  ...openapi,
  ...login,
  ...me,
  ...logout,
  ...changePassword,
  ...listUsers,
  ...createUser,
  ...showUser,
  ...updateUser,
  ...removeUser,
  ...resetUser,
  ...listClients,
  ...createClient,
  ...showClient,
  ...updateClient,
  ...removeClient,
  ...listApiKeys,
  ...createApiKey,
  ...revokeApiKey,
  ...listMemberships,
  ...createMembership,
  ...revokeMembership,
  ...listAudit,
  ...listRuns,
  ...startRun,
  ...mcpHandlers,
  ...bulk,
  ...showRun,
  ...listRunEvents,
  ...listAttempts,
  ...listFileRows,
  ...runReadings,
  ...listQuestions,
  ...answerQuestion,
  ...holdRun,
  ...resumeRun,
  ...cancelRun,
  ...retryRun,
  ...requeueRun,
  ...requeueDeadLetter,
  ...undoRun,
  ...verifyRun,
  ...listDeadLetters,
  ...acknowledgeDeadLetter,
  ...listIngestionRuns,
  ...showIngestionRun,
  ...retryIngestionRun,
  ...listRejects,
  ...listClusters,
  ...downloadRejects,
  ...correctReject,
  ...correctCluster,
  ...replayRejects,
  ...listUploads,
  ...showUpload,
  ...listPipelines,
  ...pausePipeline,
  ...resumePipeline,
  ...listWorkers,
  ...listLanes,
  ...listSchedules,
  ...tenantMetrics,
  ...liveStream,
  ...liveRunStream,
  ...liveSocket,
};
