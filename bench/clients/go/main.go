// Runs one experiment to its result with the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/google/uuid"

	"podmeter.example/clients/podmeter"
)

func main() {
	ctx := context.Background()
	client, err := podmeter.NewClientWithResponses(
		os.Getenv("PODMETER_URL"),
		podmeter.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("PODMETER_TOKEN"))
			return nil
		}),
	)
	check(err)

	var spec podmeter.Spec
	check(json.Unmarshal([]byte(os.Getenv("SPEC")), &spec))
	experiment, err := client.CreateExperimentWithResponse(ctx, nil, spec)
	check(err)
	if experiment.JSON201 == nil {
		log.Fatalf("create_experiment: %s %s", experiment.Status(), experiment.Body)
	}

	cluster, err := uuid.Parse(os.Getenv("CLUSTER_ID"))
	check(err)
	body := podmeter.NewRun{ClusterId: &cluster, Labels: &map[string]string{"client": "go"}}
	started, err := client.CreateRunWithResponse(ctx, experiment.JSON201.Id.String(), nil, body)
	check(err)
	if started.JSON202 == nil {
		log.Fatalf("create_run: %s %s", started.Status(), started.Body)
	}

	wait := 60
	for {
		run, err := client.GetRunWithResponse(ctx, started.JSON202.Id, &podmeter.GetRunParams{Wait: &wait})
		check(err)
		if run.JSON200 == nil {
			log.Fatalf("get_run: %s %s", run.Status(), run.Body)
		}
		if run.JSON200.State == podmeter.RunStateFinished {
			break
		}
	}

	report, err := client.GetSummariesWithResponse(ctx, started.JSON202.Id)
	check(err)
	if report.JSON200 == nil {
		log.Fatalf("get_summaries: %s %s", report.Status(), report.Body)
	}
	first := report.JSON200.Summaries[0]
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"run": started.JSON202.Id, "metric": first.Key.Metric, "value": first.Value,
	}))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
