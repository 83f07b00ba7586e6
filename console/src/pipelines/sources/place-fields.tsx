// The fields for address and credential of a source, by kind.
import type { ReactNode } from 'react';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import type { Kind, SourceDraft } from './source-draft.ts';

interface Props {
  readonly draft: SourceDraft;
  readonly onChange: (draft: SourceDraft) => void;
  /** A stored credential stays when nothing is typed. */
  readonly isStored?: boolean;
}

interface Asked {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly secret?: boolean;
  readonly placeholder?: string;
}

const kindWords: Record<Kind, readonly [string, string]> = {
  s3: ['S3 bucket', 'AWS, or any store that speaks its protocol'],
  sftp: ['SFTP server', 'files over SSH; its host key is pinned'],
  ftp: ['FTP server', 'with or without TLS'],
  folder: ['Folder', 'on the server Millrace runs on'],
};

const places: Record<Kind, readonly Asked[]> = {
  s3: [
    { name: 'bucket', label: 'Bucket', required: true },
    { name: 'region', label: 'Region', placeholder: 'us-east-1' },
    { name: 'endpoint', label: 'Endpoint', hint: 'Only of a store other than AWS, e.g. https://minio.example.com' },
    { name: 'role_arn', label: 'Role to assume', hint: 'Only if the keys must assume a role, arn:aws:iam::…' },
    { name: 'external_id', label: 'External id of the role' },
  ],
  sftp: [
    { name: 'host', label: 'Host', required: true },
    { name: 'port', label: 'Port', placeholder: '22' },
    { name: 'directory', label: 'Directory', placeholder: '.' },
    {
      name: 'host_key',
      label: 'Host key',
      hint: 'SHA256:… as ssh-keygen -l shows it; empty: the test shows it to you.',
    },
  ],
  ftp: [
    { name: 'host', label: 'Host', required: true },
    { name: 'port', label: 'Port', placeholder: '21' },
    { name: 'directory', label: 'Directory', placeholder: '/' },
  ],
  folder: [
    {
      name: 'directory',
      label: 'Directory',
      required: true,
      hint: 'Below one of the folders that the operator allows (SOURCE_FOLDER_ROOTS).',
    },
  ],
};

const secrets: Record<Kind, readonly Asked[]> = {
  s3: [
    { name: 'access_key_id', label: 'Access key id', secret: true, hint: 'Of a user who may list and read.' },
    { name: 'secret_access_key', label: 'Secret access key', secret: true },
  ],
  sftp: [
    { name: 'username', label: 'User' },
    { name: 'password', label: 'Password', secret: true },
  ],
  ftp: [
    { name: 'username', label: 'User' },
    { name: 'password', label: 'Password', secret: true },
  ],
  folder: [],
};

export function KindChoice({ draft, onChange }: Props): ReactNode {
  return (
    <fieldset className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-4">
      <legend className="mb-1 text-sm font-medium">What is it?</legend>
      {(Object.keys(kindWords) as Kind[]).map((kind) => (
        <label
          key={kind}
          className={`flex cursor-pointer items-start gap-2 rounded-md border px-3 py-2 text-sm ${
            draft.kind === kind ? 'border-water bg-water-soft' : 'border-line-strong bg-raised'
          }`}
        >
          <input
            type="radio"
            name="kind"
            checked={draft.kind === kind}
            onChange={() => onChange({ ...draft, kind, place: {}, credential: {}, prefix: '', afterTaken: 'leave' })}
            className="mt-1"
          />
          <span>
            <span className="block font-medium">{kindWords[kind][0]}</span>
            <span className="text-xs text-ink-2">{kindWords[kind][1]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export function PlaceFields({ draft, onChange, isStored = false }: Props): ReactNode {
  const { kind } = draft;
  const set = (name: string, value: string) => onChange({ ...draft, place: { ...draft.place, [name]: value } });
  return (
    <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
      {places[kind].map((asked) => (
        <Text key={asked.name} asked={asked} value={draft.place[asked.name] ?? ''} onChange={set} />
      ))}
      {kind === 'ftp' && (
        <Choice
          label="Encryption"
          value={draft.place.tls ?? 'explicit'}
          options={[
            ['explicit', 'TLS (explicit, usual)'],
            ['implicit', 'TLS from the start (implicit)'],
            ['none', 'none: the password is sent without encryption'],
          ]}
          onChoose={(tls) => set('tls', tls)}
        />
      )}
      {kind === 'ftp' && draft.place.tls !== 'none' && (
        <label className="flex flex-col gap-1 text-xs font-medium text-ink-2 md:col-span-2">
          Certificate of the server
          <textarea
            rows={2}
            spellCheck={false}
            value={draft.place.certificate ?? ''}
            onChange={(event) => set('certificate', event.target.value)}
            className="control w-full font-mono text-xs"
          />
          <span className="font-normal text-ink-3">
            Only if no public authority signed it: a PEM that begins with -----BEGIN CERTIFICATE-----
          </span>
        </label>
      )}
      {kind === 's3' && (
        <Choice
          label="Bucket in the address"
          value={draft.place.path_style ?? ''}
          options={[
            ['', 'as usual'],
            ['true', 'in the path'],
            ['false', 'in the host name'],
          ]}
          onChoose={(value) => set('path_style', value)}
        />
      )}
      <CredentialFields draft={draft} onChange={onChange} isStored={isStored} />
    </div>
  );
}

function CredentialFields({ draft, onChange, isStored = false }: Props): ReactNode {
  const { kind, credential } = draft;
  const set = (name: string, value: string) => onChange({ ...draft, credential: { ...credential, [name]: value } });
  const byKey = kind === 'sftp' && 'private_key' in credential;
  return (
    <>
      {kind === 'sftp' && (
        <Choice
          label="Sign in with"
          value={byKey ? 'key' : 'password'}
          options={[
            ['password', 'a password'],
            ['key', 'a private key'],
          ]}
          onChoose={(how) => {
            const { username = '' } = credential;
            onChange({ ...draft, credential: { username, [how === 'key' ? 'private_key' : 'password']: '' } });
          }}
        />
      )}
      {secrets[kind]
        .filter(({ name }) => !(byKey && name === 'password'))
        .map((asked) => (
          <Text
            key={asked.name}
            asked={isStored && asked.secret ? { ...asked, hint: 'Stored; leave it empty to keep it.' } : asked}
            value={credential[asked.name] ?? ''}
            onChange={set}
          />
        ))}
      {byKey && (
        <>
          <label className="flex flex-col gap-1 text-xs font-medium text-ink-2 md:col-span-2">
            Private key
            <textarea
              rows={4}
              spellCheck={false}
              autoComplete="off"
              value={credential.private_key}
              onChange={(event) => set('private_key', event.target.value)}
              className="control w-full font-mono text-xs"
            />
          </label>
          <Text
            asked={{ name: 'passphrase', label: 'Passphrase of the key', secret: true }}
            value={credential.passphrase ?? ''}
            onChange={set}
          />
        </>
      )}
    </>
  );
}

function Text({
  asked,
  value,
  onChange,
}: {
  asked: Asked;
  value: string;
  onChange: (name: string, value: string) => void;
}): ReactNode {
  return (
    <Field
      label={asked.label}
      value={value}
      required={asked.required ?? false}
      placeholder={asked.placeholder}
      hint={asked.hint}
      type={asked.secret ? 'password' : 'text'}
      autoComplete={asked.secret ? 'new-password' : 'off'}
      spellCheck={false}
      onChange={(event) => onChange(asked.name, event.target.value)}
    />
  );
}
