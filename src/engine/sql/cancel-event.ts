// Which arrow a cancelled run takes. Asked of the database, because the run may be of a pipeline this process does not know.

/** `cancel` where the machine has that arrow, else `fail`. Both arguments are column names of ours. */
export function cancelEventOf(pipeline: string, status: string): string {
  return `
    coalesce((
      select 'cancel' from engine.transitions ct
      where ct.pipeline = ${pipeline} and ct.from_status = ${status} and ct.event = 'cancel'
    ), 'fail')`;
}
