{{- define "podmeter.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-podmeter" .Release.Name) (contains "podmeter" .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* The namespaces that Podmeter measures in; nothing else may be there. */}}
{{- define "podmeter.checkNamespace" -}}
{{- if has .Release.Namespace (list "podmeter" "podmeter-host") -}}
{{- fail (printf "namespace %s is where Podmeter's measuring pods run, and is held to them: install into another one, such as podmeter-system" .Release.Namespace) -}}
{{- end -}}
{{- end }}

{{/* These three take (dict "root" $ "part" NAME). */}}
{{- define "podmeter.selector" -}}
app.kubernetes.io/name: podmeter
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "podmeter.labels" -}}
{{ include "podmeter.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* Podmeter knows its own services by the last one: it does not switch the network they are on. */}}
{{- define "podmeter.podLabels" -}}
{{ include "podmeter.labels" . }}
podmeter.io/service: {{ .part }}
{{- end }}

{{- define "podmeter.image" -}}
{{ .root.Values.images.registry }}/{{ .image }}:{{ .root.Values.images.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "podmeter.benchImage" -}}
{{ .Values.images.bench | default (include "podmeter.image" (dict "root" . "image" "bench")) }}
{{- end }}

{{- define "podmeter.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{ .Values.publicUrl }}
{{- else if .Values.ingress.enabled -}}
{{ ternary "https" "http" .Values.ingress.tls }}://{{ .Values.ingress.host }}
{{- else if .Values.gateway.enabled -}}
{{ ternary "https" "http" .Values.gateway.tls }}://{{ .Values.gateway.host }}
{{- else -}}
http://127.0.0.1:8080
{{- end -}}
{{- end }}

{{- define "podmeter.secret" -}}
{{ .Values.secrets.existing | default (include "podmeter.fullname" .) }}
{{- end }}

{{/* What every pod has; takes (dict "root" $ "security" POD_SECURITY_CONTEXT). */}}
{{- define "podmeter.pod" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  seccompProfile: { type: RuntimeDefault }
  # Given away once: PostgreSQL does not start where its group may write to its folder.
  fsGroupChangePolicy: OnRootMismatch
  {{- range $name, $value := .security }}
  {{- if not (kindIs "invalid" $value) }}
  {{ $name }}: {{ int64 $value }}
  {{- end }}
  {{- end }}
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "podmeter.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Where a database's URL is kept: "SECRET KEY"; takes (dict "root" $ "of" VALUES "key" KEY). */}}
{{- define "podmeter.urlSource" -}}
{{- if and (not .of.bundled) .of.urlSecret.name -}}
{{ .of.urlSecret.name }} {{ .of.urlSecret.key | default "url" }}
{{- else -}}
{{ include "podmeter.secret" .root }} {{ .key }}
{{- end -}}
{{- end }}

{{/* The variables that name files below /run/secrets/podmeter; takes (dict "secrets" LIST). */}}
{{- define "podmeter.secretVariables" -}}
{{- $names := dict "database-url" "DATABASE_URL_FILE" "redis-url" "REDIS_URL_FILE" "encryption-keys" "PODMETER_ENCRYPTION_KEYS_FILE" "admin-password" "PODMETER_ADMIN_PASSWORD_FILE" "first-token" "PODMETER_FIRST_TOKEN_FILE" "oidc-client-secret" "PODMETER_OIDC_CLIENT_SECRET_FILE" -}}
{{- range .secrets }}
- { name: {{ get $names . }}, value: /run/secrets/podmeter/{{ . }} }
{{- end }}
{{- end }}

{{- define "podmeter.mounts" -}}
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/podmeter, readOnly: true }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{/* Takes (dict "root" $ "secrets" LIST). */}}
{{- define "podmeter.volumes" -}}
{{- $database := splitList " " (include "podmeter.urlSource" (dict "root" .root "of" .root.Values.postgres "key" "database-url")) }}
{{- $redis := splitList " " (include "podmeter.urlSource" (dict "root" .root "of" .root.Values.redis "key" "redis-url")) }}
{{- $client := list .root.Values.signOn.clientSecret.name .root.Values.signOn.clientSecret.key }}
{{- $token := list .root.Values.admin.tokenSecret.name .root.Values.admin.tokenSecret.key }}
{{- $own := include "podmeter.secret" .root }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  - name: secrets
    projected:
      defaultMode: 0440
      sources:
        {{- range $name := .secrets }}
        {{- $source := get (dict "database-url" $database "redis-url" $redis "oidc-client-secret" $client "first-token" $token) $name | default (list $own $name) }}
        - secret:
            name: {{ index $source 0 }}
            items: [{ key: {{ index $source 1 }}, path: {{ $name }} }]
        {{- end }}
{{- end }}

{{/* A container that ends once what it waits for is there, so that nothing starts too early. */}}
{{- define "podmeter.await" -}}
- name: await-{{ .what }}
  image: {{ include "podmeter.image" (dict "root" .root "image" "api") }}
  imagePullPolicy: {{ .root.Values.images.pullPolicy }}
  command: [podmeter-admin, await, {{ .what }}]
  env:
    {{- include "podmeter.secretVariables" (dict "secrets" (list "database-url")) | nindent 4 }}
  resources:
    requests: { cpu: 20m, memory: 96Mi }
    limits: { memory: 256Mi }
  {{- include "podmeter.containerSecurity" . | nindent 2 }}
  {{- include "podmeter.mounts" . | nindent 2 }}
{{- end }}

{{/* The API's and workers' variables besides those of secrets. */}}
{{- define "podmeter.settings" -}}
envFrom:
  - configMapRef: { name: {{ include "podmeter.fullname" . }} }
{{- end }}

{{/*
One of the worker's parts; takes (dict "root" $ "part" NAME "of" VALUES "argument" PART
"secrets" LIST "grace" SECONDS "strategy" STRATEGY "replicas" N, null where it is scaled).
*/}}
{{- define "podmeter.workerPart" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "podmeter.fullname" .root }}-{{ .part }}
  labels: {{- include "podmeter.labels" . | nindent 4 }}
spec:
  {{- if not (kindIs "invalid" .replicas) }}
  replicas: {{ .replicas }}
  {{- end }}
  strategy: {{- toYaml .strategy | nindent 4 }}
  selector:
    matchLabels: {{- include "podmeter.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "podmeter.podLabels" . | nindent 8 }}
      annotations:
        checksum/settings: {{ include (print .root.Template.BasePath "/settings.yaml") .root | sha256sum }}
        {{- with .root.Values.podAnnotations }}{{ toYaml . | nindent 8 }}{{ end }}
    spec:
      serviceAccountName: {{ include "podmeter.fullname" .root }}
      automountServiceAccountToken: false
      # A first process takes no signal before it has asked for it: one that starts could not be
      # stopped. In a shared namespace the pod's own first process is another.
      shareProcessNamespace: true
      terminationGracePeriodSeconds: {{ .grace }}
      {{- include "podmeter.pod" (dict "root" .root "security" .root.Values.podSecurityContext) | nindent 6 }}
      {{- if has "database-url" .secrets }}
      initContainers:
        {{- include "podmeter.await" (dict "root" .root "what" "migration") | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .part }}
          image: {{ include "podmeter.image" (dict "root" .root "image" "worker") }}
          imagePullPolicy: {{ .root.Values.images.pullPolicy }}
          command: [python, -m, podmeter_worker, {{ .argument }}]
          {{- include "podmeter.settings" .root | nindent 10 }}
          env:
            {{- include "podmeter.secretVariables" . | nindent 12 }}
          startupProbe: &alive
            exec: { command: [python, -m, podmeter_worker.alive] }
            periodSeconds: 5
            timeoutSeconds: 15
            failureThreshold: 36
          # Patient: a worker that is ended interrupts what it measures, and a busy node is no reason.
          livenessProbe:
            <<: *alive
            periodSeconds: 30
            timeoutSeconds: 30
            failureThreshold: 6
          resources: {{- toYaml .of.resources | nindent 12 }}
          {{- include "podmeter.containerSecurity" . | nindent 10 }}
          {{- include "podmeter.mounts" . | nindent 10 }}
      {{- include "podmeter.volumes" . | nindent 6 }}
{{- end }}

{{/* A database's volume; takes (dict "root" $ "of" VALUES "part" NAME). */}}
{{- define "podmeter.dataVolume" -}}
{{- if .of.storage.ephemeral }}
- name: data
  emptyDir: {}
{{- end }}
{{- end }}

{{- define "podmeter.dataClaim" -}}
{{- if not .of.storage.ephemeral }}
volumeClaimTemplates:
  - metadata:
      name: data
      labels: {{- include "podmeter.selector" . | nindent 8 }}
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .of.storage.className }}
      storageClassName: {{ . }}
      {{- end }}
      resources: { requests: { storage: {{ .of.storage.size }} } }
{{- end }}
{{- end }}
