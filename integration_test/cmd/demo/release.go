package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Release is an input as many programs have it: the token is a string.
type Release struct {
	Version string `json:"version"`
	Token   string `json:"token"`
}

// signalApproved lets a release go on.
const signalApproved = "approved"

// PublishRelease is the old workflow. It knows nothing of the guard.
func PublishRelease(ctx workflow.Context, release Release) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 20 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 3},
	})
	if err := workflow.ExecuteActivity(ctx, "PushTag", release).Get(ctx, nil); err != nil {
		return "", err
	}
	workflow.GetSignalChannel(ctx, signalApproved).Receive(ctx, nil)
	if err := workflow.ExecuteActivity(ctx, "Announce", release).Get(ctx, nil); err != nil {
		return "", err
	}
	return release.Version + " is tagged and announced", nil
}

// Releases are its activities.
type Releases struct {
	url string
	// called is told of each request and its answer.
	called func(path, status string)
}

// PushTag pushes the tag of a release.
func (r *Releases) PushTag(ctx context.Context, release Release) error {
	return r.post(ctx, tag(release.Version), release.Token)
}

// Announce announces a release.
func (r *Releases) Announce(ctx context.Context, release Release) error {
	return r.post(ctx, announcement(release.Version), release.Token)
}

func (r *Releases) post(ctx context.Context, path, token string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set(releaseHeader, token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	r.called(path, resp.Status)
	if resp.StatusCode != http.StatusCreated {
		return temporal.NewNonRetryableApplicationError(fmt.Sprintf("%s: %s", path, resp.Status), "ReleaseService", nil)
	}
	return nil
}
